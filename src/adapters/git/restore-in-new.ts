import { dirname } from 'node:path';
import { failpoint } from '../../domain/failpoint.js';
import { DONE, success, type Result } from '../../domain/result.js';
import type { RestorePlace, Restored, SalvageEntry } from '../../domain/salvage.js';
import { CHECKOUT_TIMEOUT_MS } from './git-command.js';
import { inOrder, inRepositoryTurn, type GitContext } from './git-context.js';
import { branchRef, changeRef, NO_OBJECT, resolveCommit } from './refs.js';
import { refuseRestore } from './refuse-restore.js';
import { restoreFiles } from './restore-files.js';
import { isRestoredWork } from './restored-work.js';
import { hasGitAtWork } from './stale-locks.js';
import { findCheckout, findListed } from './worktree-list.js';
import { isVacant, needWorktree, readWorktree } from './worktree-state.js';

/** Git's own lock on a worktree into which work is being restored: until it goes, that is not whole. */
const UNDER_WAY = 'orange restores saved work here';

const NOT_MADE = 'it could not be made';

/**
 * Restores into a worktree that is made for it. It stays locked until it is whole; what an earlier
 * restore left that was cut off is taken away first, unless somebody has worked in it.
 */
export async function restoreInNew(
  context: GitContext,
  repository: string,
  entry: SalvageEntry,
  place: Extract<RestorePlace, { kind: 'new-worktree' }>,
): Promise<Result<Restored>> {
  const { path } = place;
  const { git } = context;
  const made = await inOrder(
    () => makeRoom(context, repository, entry, path),
    () => addLocked(context, repository, entry, path),
  );
  if (!made.ok) return made;
  failpoint('restore.added');
  const worktree = await needWorktree(context, { repository, worktree: path }, NOT_MADE);
  if (!worktree.ok) return worktree;
  const filled = await inOrder(
    () => fill(context, path, entry.commit),
    () => restoreFiles(context, worktree.value, entry),
  );
  if (!filled.ok) {
    await takeAway(context, repository, path);
    return filled;
  }
  failpoint('restore.files-back');
  const branch = await attachBranch(context, repository, { entry, path, wanted: place.branch });
  if (!branch.ok) return branch;
  failpoint('restore.branch-taken');
  const opened = await git.perform({
    directory: repository,
    argv: ['worktree', 'unlock', '--', path],
  });
  failpoint('restore.done');
  return opened.ok
    ? success({ ref: entry.ref, path, branch: branch.value, head: entry.head })
    : opened;
}

/** Sees that nothing is at the place, taking away what a restore that was cut off had put there. */
async function makeRoom(
  context: GitContext,
  repository: string,
  entry: SalvageEntry,
  path: string,
): Promise<Result<void>> {
  const isEmpty = isVacant(context.files, path);
  const listed = await findListed(context, repository, path);
  if (!listed.ok) return listed;
  if (listed.value?.lock !== UNDER_WAY) {
    return isEmpty ? DONE : refuseRestore(entry, 'place-taken', path);
  }
  if (!isEmpty) {
    const isOurs = await isHalfRestored(context, repository, entry, path);
    if (!isOurs.ok) return isOurs;
    if (!isOurs.value) return refuseRestore(entry, 'half-restored', path);
  }
  return takeAway(context, repository, listed.value.path);
}

/** Whether everything at a place comes from this saved work, and nobody is at work there. */
async function isHalfRestored(
  context: GitContext,
  repository: string,
  entry: SalvageEntry,
  path: string,
): Promise<Result<boolean>> {
  if (hasGitAtWork(context.files, path) === true) return success(false);
  const worktree = await readWorktree(context, repository, path);
  if (!worktree.ok || worktree.value === null) return worktree.ok ? success(false) : worktree;
  return isRestoredWork(context, { worktree: worktree.value, entry, extent: 'part' });
}

function addLocked(
  context: GitContext,
  repository: string,
  entry: SalvageEntry,
  path: string,
): Promise<Result<void>> {
  const head = entry.head ?? entry.commit;
  const how = ['--quiet', '--no-checkout', '--detach', '--lock', '--reason', UNDER_WAY];
  return inRepositoryTurn(context, repository, () =>
    inOrder(
      () => context.files.makeDirectory(dirname(path)),
      () =>
        context.git.perform({
          directory: repository,
          argv: ['worktree', 'add', ...how, '--', path, head],
        }),
    ),
  );
}

function fill({ git }: GitContext, directory: string, commit: string): Promise<Result<void>> {
  return git.perform({
    directory,
    argv: ['read-tree', '--reset', '-u', `${commit}^{tree}`],
    timeoutMs: CHECKOUT_TIMEOUT_MS,
  });
}

/** A half-filled worktree of our own making helps nobody; the saved work is all still there. */
function takeAway(context: GitContext, repository: string, path: string): Promise<Result<void>> {
  return inRepositoryTurn(context, repository, () =>
    context.git.perform({
      directory: repository,
      // Once for what is in it, once for the lock.
      argv: ['worktree', 'remove', '--force', '--force', '--', path],
    }),
  );
}

/** Puts a new worktree on its branch: made anew if it is gone, taken if it stands there and is free. */
async function attachBranch(
  context: GitContext,
  repository: string,
  request: { readonly entry: SalvageEntry; readonly path: string; readonly wanted: string | null },
): Promise<Result<string | null>> {
  const { git } = context;
  const { entry, path, wanted } = request;
  if (wanted === null) return success(null);
  const ref = branchRef(wanted);
  const attach = () =>
    git.perform({ directory: path, argv: ['symbolic-ref', '-m', 'orange: restore', 'HEAD', ref] });
  return inRepositoryTurn(context, repository, async () => {
    const tip = await resolveCommit(git, repository, ref);
    if (!tip.ok) return tip;
    const holder = await findCheckout(context, repository, wanted);
    if (!holder.ok) return holder;
    const isFree = holder.value === null && (tip.value === null || tip.value === entry.head);
    if (!isFree) return success(null);
    const { head } = entry;
    const attached = await inOrder(
      () =>
        tip.value === null && head !== null
          ? changeRef(git, repository, { ref, to: head, from: NO_OBJECT })
          : DONE,
      attach,
    );
    return attached.ok ? success(wanted) : attached;
  });
}
