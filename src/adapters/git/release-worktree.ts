import { join } from 'node:path';
import { failpoint } from '../../domain/failpoint.js';
import type { Result } from '../../domain/result.js';
import { DONE, success } from '../../domain/result.js';
import type { ReleaseRequest } from '../../ports.js';
import { clearSpecials } from './clear-specials.js';
import { CHECKOUT_TIMEOUT_MS } from './git-command.js';
import { forgetVanished } from './forget-vanished.js';
import type { GitContext } from './git-context.js';
import { inOrder } from './git-context.js';
import { dropOwnRefs, keepOwnRefs, listOwnRefs } from './own-refs.js';
import { hasForeignSettings, restoreOwnSettings } from './own-settings.js';
import { recoverWorktree } from './recover-worktree.js';
import { refuseOccupied } from './refuse-occupied.js';
import { salvageRecord } from './salvage-record.js';
import { salvageWork } from './salvage.js';
import { clearStaleLocks } from './stale-locks.js';
import { findStartQuickly } from './start-point.js';
import { clearIgnored, findIgnored, resetSubmodules } from './submodules.js';
import { removeTaskFile } from './task-file.js';
import {
  hasChanges,
  hasUncommittedWork,
  hidesFiles,
  revealHiddenFiles,
  revealMissingFiles,
} from './uncommitted-work.js';
import { forgetSetup } from './worktree-memory.js';
import { findRecord, isLost } from './worktree-records.js';
import type { Worktree } from './worktree-state.js';
import { listOperations, needWorktree, TASK_FILE, unusable } from './worktree-state.js';

export type Released = { readonly salvageRef: string | null };

/** Salvages what would be lost, then leaves the worktree detached on the base, clean and verified. */
export async function releaseWorktree(
  context: GitContext,
  request: ReleaseRequest,
): Promise<Result<Released>> {
  const found = await recoverWorktree(context, request);
  if (!found.ok) return found;
  if (found.value === null) return releaseVanished(context, request);
  const worktree = found.value;
  const start = await findStartQuickly(context, request.repository, request.defaultBranch);
  if (!start.ok) return start;
  const first = await saveWork(context, worktree, request.taskId);
  if (!first.ok) return first;
  const keepsIgnored = request.keepIgnored ?? true;
  const reset = await inOrder(
    () => removeTaskFile(context, worktree.path),
    () => quitOperations(context, worktree),
    () => detach(context, worktree, start.value.commit),
    async () => {
      // Beside it, since neither has anything to do with what the other looks at.
      const specials = clearSpecials(context, worktree.path, keepsIgnored ? 'kept' : 'removed');
      const cleaned = await clean(context, worktree, keepsIgnored);
      await specials;
      return cleaned;
    },
    () => dropOwnRefs(context, worktree),
    () => revealMissingFiles(context, worktree.path),
    () => resetTo(context, worktree.path, start.value.commit),
    () => resetSubmodules(context, worktree.path),
    () => (keepsIgnored ? DONE : clearIgnored(context, worktree.path)),
  );
  if (!reset.ok) return reset;
  const second = await clearUncovered(context, request);
  if (!second.ok) return second;
  failpoint('release.before-verify');
  const verified = await verifyReleased(context, request);
  return verified.ok ? success({ salvageRef: second.value ?? first.value }) : verified;
}

/** Keeps what a worktree holds that would be lost; fails while somebody works in it. */
export async function saveWork(
  context: GitContext,
  worktree: Worktree,
  taskId: string,
): Promise<Result<string | null>> {
  const prepared = await inOrder(
    () => clearStaleLocks(context, worktree),
    () => restoreOwnSettings(context, worktree),
    () => revealHiddenFiles(context, worktree.path),
  );
  if (!prepared.ok) return prepared;
  failpoint('release.before-salvage');
  const ofRefs = await keepOwnRefs(context, worktree, taskId);
  if (!ofRefs.ok) return ofRefs;
  const saved = await salvageWork(context, worktree, taskId);
  if (!saved.ok) return saved;
  failpoint('release.salvaged');
  const isAlone = await refuseOccupied(context, worktree.path);
  return isAlone.ok ? success(saved.value ?? ofRefs.value) : isAlone;
}

/** Fails unless a worktree is what an idle one must be: without work, and without what steers git. */
export function verifyIdle(context: GitContext, worktree: Worktree): Promise<Result<void>> {
  const { files } = context;
  return inOrder(
    // First, since they may point git at other files.
    () =>
      hasForeignSettings(files, worktree.gitDirectory)
        ? unusable(worktree.path, 'it has git settings of its own')
        : DONE,
    () => verifyNoWork(context, worktree),
    () => verifyNoMarks(context, worktree),
  );
}

/** Fails for a worktree with refs of its own, or with files that git is told not to look at. */
async function verifyNoMarks(context: GitContext, worktree: Worktree): Promise<Result<void>> {
  const { path } = worktree;
  const isHiding = await hidesFiles(context, path);
  if (!isHiding.ok) return isHiding;
  if (isHiding.value) return unusable(path, 'git is told not to look at some of its files');
  const refs = await listOwnRefs(context, worktree);
  if (!refs.ok) return refs;
  return refs.value.length === 0 ? DONE : unusable(path, 'it has refs of its own');
}

/** Fails unless a worktree is detached, clean, and without a task's file. */
export async function verifyNoWork(context: GitContext, worktree: Worktree): Promise<Result<void>> {
  const { path } = worktree;
  if (!worktree.isDetached) return unusable(path, 'it is on a branch');
  if (listOperations(context.files, worktree.gitDirectory).length > 0) {
    return unusable(path, 'a merge or rebase is under way in it');
  }
  const isDirty = await hasUncommittedWork(context, path);
  if (!isDirty.ok) return isDirty;
  if (isDirty.value) return unusable(path, 'it is not clean');
  return verifyNoTaskFile(context, path);
}

async function verifyReleased(context: GitContext, request: ReleaseRequest): Promise<Result<void>> {
  const worktree = await needWorktree(context, request);
  if (!worktree.ok) return worktree;
  const found = worktree.value;
  return inOrder(
    () => verifyIdle(context, found),
    () => (request.keepIgnored === false ? verifyNoIgnored(context, found.path) : DONE),
  );
}

async function verifyNoIgnored(context: GitContext, path: string): Promise<Result<void>> {
  const left = await findIgnored(context, path);
  if (!left.ok || left.value === null) return left.ok ? DONE : left;
  return unusable(path, `${left.value} is still there, which git ignores`);
}

// The project may have a TASK.md of its own; then it must be the committed one.
async function verifyNoTaskFile(context: GitContext, path: string): Promise<Result<void>> {
  const state = context.files.stat(join(path, TASK_FILE));
  if (!state.ok) return state;
  if (state.value.kind === 'absent') return DONE;
  const argv = ['ls-files', '--error-unmatch', '--', TASK_FILE];
  const isTracked = await context.git.ask({ directory: path, argv });
  if (!isTracked.ok) return isTracked;
  const isChanged = await hasChanges(context, path, [TASK_FILE]);
  if (!isChanged.ok) return isChanged;
  return isTracked.value && !isChanged.value ? DONE : unusable(path, `${TASK_FILE} is still there`);
}

/**
 * A worktree whose directory is gone may still have had commits and staged work that only it led to.
 * Git forgets it with that, or its branch would count as checked out there; not one that lies
 * elsewhere now, or that somebody locked.
 */
async function releaseVanished(
  context: GitContext,
  { repository, worktree, taskId }: ReleaseRequest,
): Promise<Result<Released>> {
  const record = await findRecord(context, repository, worktree);
  if (!record.ok) return record;
  if (record.value === null) return success({ salvageRef: null });
  const salvageRef = isLost(context.files, repository, record.value)
    ? await forgetVanished(context, { repository, path: worktree, taskId })
    : await salvageRecord(context, record.value.gitDirectory, taskId);
  return salvageRef.ok ? success({ salvageRef: salvageRef.value }) : salvageRef;
}

async function quitOperations(context: GitContext, worktree: Worktree): Promise<Result<void>> {
  for (const argv of listOperations(context.files, worktree.gitDirectory)) {
    // What cannot be ended this way is found by the final check.
    const ended = await context.git.run({ directory: worktree.path, argv });
    if (!ended.ok) return ended;
  }
  return DONE;
}

/** Takes HEAD off its branch without moving the branch or touching a file. */
async function detach(
  context: GitContext,
  worktree: Worktree,
  base: string,
): Promise<Result<void>> {
  if (worktree.isDetached) return DONE;
  failpoint('release.before-detach');
  return context.git.perform({
    directory: worktree.path,
    argv: ['update-ref', '--no-deref', '-m', 'orange: release', 'HEAD', worktree.head ?? base],
  });
}

/** Removes what is not tracked; ignored files, which are no work, only where nobody wants them kept. */
function clean(
  context: GitContext,
  { path, gitDirectory }: Worktree,
  keepsIgnored: boolean,
): Promise<Result<void>> {
  failpoint('release.before-clean');
  const cleaned = {
    directory: path,
    argv: ['clean', keepsIgnored ? '-ffdq' : '-ffdxq'],
    timeoutMs: CHECKOUT_TIMEOUT_MS,
  };
  return inOrder(
    // What was set up and copied goes with them.
    () => (keepsIgnored ? DONE : forgetSetup(context.files, gitDirectory)),
    () => context.git.perform(cleaned),
  );
}

function resetTo(context: GitContext, directory: string, commit: string): Promise<Result<void>> {
  failpoint('release.before-reset');
  return context.git.perform({
    directory,
    argv: ['reset', '--hard', '--quiet', commit, '--'],
    timeoutMs: CHECKOUT_TIMEOUT_MS,
  });
}

/** The base may ignore less than the branch did; what comes to light is saved before it is cleaned. */
async function clearUncovered(
  context: GitContext,
  request: ReleaseRequest,
): Promise<Result<string | null>> {
  const isChanged = await hasChanges(context, request.worktree, ['.']);
  if (!isChanged.ok || !isChanged.value) return isChanged.ok ? success(null) : isChanged;
  const worktree = await needWorktree(context, request);
  if (!worktree.ok) return worktree;
  const salvaged = await salvageWork(context, worktree.value, request.taskId);
  if (!salvaged.ok) return salvaged;
  const cleaned = await clean(context, worktree.value, request.keepIgnored ?? true);
  return cleaned.ok ? salvaged : cleaned;
}
