import { dirname, join } from 'node:path';
import { failpoint } from '../../domain/failpoint.js';
import type { Result } from '../../domain/result.js';
import { DONE, success } from '../../domain/result.js';
import { CHECKOUT_TIMEOUT_MS } from './git-command.js';
import type { GitContext } from './git-context.js';
import { inOrder, inRepositoryTurn } from './git-context.js';
import { rememberOwnSettings } from './own-settings.js';
import { recoverWorktree } from './recover-worktree.js';
import { retireRecord, standInTask } from './retire-record.js';
import { awaitNoGit, clearStaleLocks } from './stale-locks.js';
import { findStartQuickly } from './start-point.js';
import { findListed } from './worktree-list.js';
import { findRecord } from './worktree-records.js';
import type { Worktree } from './worktree-state.js';
import { isVacant, needWorktree, unusable } from './worktree-state.js';

export type EnsureRequest = {
  readonly repository: string;
  readonly worktree: string;
  readonly defaultBranch: string;
};

/** Makes the worktree, detached on the base, or finishes one that a killed git left half made. */
export async function ensureWorktree(
  context: GitContext,
  request: EnsureRequest,
): Promise<Result<Worktree>> {
  const place = await inRepositoryTurn(context, request.repository, () =>
    registerWorktree(context, request),
  );
  if (!place.ok) return place;
  const found =
    place.value === null
      ? await needWorktree(context, request, 'it could not be made')
      : success(place.value);
  if (!found.ok) return found;
  return finishWorktree(context, request, found.value);
}

/**
 * The worktree that is there, or null after git was given one without files yet, which is quick;
 * filling it needs no turn.
 */
async function registerWorktree(
  context: GitContext,
  request: EnsureRequest,
): Promise<Result<Worktree | null>> {
  const { git, files } = context;
  const isThere = !isVacant(files, request.worktree);
  const existing = isThere ? await recoverWorktree(context, request) : success(null);
  if (existing.ok && existing.value !== null) return existing;
  const entry = await findListed(context, request.repository, request.worktree);
  if (!entry.ok) return entry;
  const isRemnant = entry.value !== null && isOnlyPointer(context, request.worktree);
  if (!existing.ok && !isRemnant) return existing;
  const start = await findStartQuickly(context, request.repository, request.defaultBranch);
  if (!start.ok) return start;
  const force = entry.value === null ? [] : ['--force', '--force'];
  const flags = ['--quiet', '--no-checkout', '--detach', ...force];
  failpoint('worktree.before-add');
  const added = await inOrder(
    () => (entry.value === null ? DONE : prepareReplacement(context, request)),
    () => files.makeDirectory(dirname(request.worktree)),
    () =>
      git.perform({
        directory: request.repository,
        argv: ['worktree', 'add', ...flags, request.worktree, start.value.commit],
      }),
  );
  failpoint('worktree.added');
  return added.ok ? success(null) : added;
}

/** Nothing but the pointer to git's metadata: what a kill at the very beginning leaves. */
function isOnlyPointer(context: GitContext, path: string): boolean {
  const entries = context.files.list(path);
  return entries.ok && entries.value.join('/') === '.git';
}

/** Before git forgets a worktree whose directory is gone, keeps what only its record led to. */
async function prepareReplacement(
  context: GitContext,
  { repository, worktree }: EnsureRequest,
): Promise<Result<unknown>> {
  const record = await findRecord(context, repository, worktree);
  if (!record.ok || record.value === null) return record;
  const taskId = standInTask(worktree);
  const saved = await retireRecord(context, { ...record.value, repository, taskId });
  if (!saved.ok || !isOnlyPointer(context, worktree)) return saved;
  return context.files.remove(join(worktree, '.git'));
}

/** Fills a worktree whose first checkout never came to its end: git keeps the index for last. */
async function finishWorktree(
  context: GitContext,
  request: EnsureRequest,
  worktree: Worktree,
): Promise<Result<Worktree>> {
  const { git, files } = context;
  const lock = files.readText(join(worktree.gitDirectory, 'locked'), 4096);
  const isLocked = lock.ok && lock.value.text.trim() === 'initializing';
  // Git makes a worktree from within the repository, and its child fills it from within itself.
  if (isLocked && !(await awaitNoGit(context, [worktree.path, request.repository]))) {
    return unusable(worktree.path, 'git is still making it');
  }
  const index = files.stat(join(worktree.gitDirectory, 'index'));
  const isEmpty = worktree.isDetached && index.ok && index.value.kind === 'absent';
  const unlock = ['worktree', 'unlock', worktree.path];
  const freed = await inOrder(
    () => (isEmpty ? clearStaleLocks(context, worktree) : DONE),
    () => (isLocked ? git.perform({ directory: request.repository, argv: unlock }) : DONE),
  );
  if (!freed.ok) return freed;
  return isEmpty ? fillWorktree(context, request, worktree) : success(worktree);
}

async function fillWorktree(
  context: GitContext,
  request: EnsureRequest,
  worktree: Worktree,
): Promise<Result<Worktree>> {
  const head = await findHead(context, request, worktree);
  if (!head.ok) return head;
  const { path: directory } = worktree;
  const filled = await inOrder(
    () =>
      worktree.head === null
        ? context.git.perform({
            directory,
            argv: ['update-ref', '--no-deref', 'HEAD', head.value],
          })
        : DONE,
    // Nobody has had it yet, so all of it comes from the checkout it was made from.
    () => rememberOwnSettings(context.files, worktree.gitDirectory),
    () =>
      context.git.perform({
        directory,
        argv: ['reset', '--hard', '--quiet', head.value, '--'],
        timeoutMs: CHECKOUT_TIMEOUT_MS,
      }),
  );
  return filled.ok ? success({ ...worktree, head: head.value }) : filled;
}

/** What it stands on; one whose git was killed before it said so gets the base. */
async function findHead(
  context: GitContext,
  { repository, defaultBranch }: EnsureRequest,
  { head }: Worktree,
): Promise<Result<string>> {
  if (head !== null) return success(head);
  const start = await findStartQuickly(context, repository, defaultBranch);
  return start.ok ? success(start.value.commit) : start;
}
