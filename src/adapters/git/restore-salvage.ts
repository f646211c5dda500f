import { join } from 'node:path';
import { success, type Result } from '../../domain/result.js';
import type { RestorePlace, Restored, SalvageEntry } from '../../domain/salvage.js';
import { readCommit, storeCommit } from './commit-objects.js';
import { CHECKOUT_TIMEOUT_MS } from './git-command.js';
import type { GitContext } from './git-context.js';
import { branchRef, changeRef, NO_OBJECT, resolveCommit } from './refs.js';
import { refuseRestore } from './refuse-restore.js';
import { restoreFiles } from './restore-files.js';
import { restoreInNew } from './restore-in-new.js';
import { isRestoredWork } from './restored-work.js';
import { findSalvage } from './salvage-refs.js';
import { hasUncommittedWork } from './uncommitted-work.js';
import { listOperations, readWorktree, type Worktree } from './worktree-state.js';

export type RestoreRequest = {
  readonly repository: string;
  readonly ref: string;
  readonly place: RestorePlace;
};

/**
 * Brings saved work back as it was: the commit it began from, what was staged, what was not, and
 * untracked files, byte for byte. Refuses any place where something could be overwritten; the saved
 * work itself stays.
 */
export async function restoreSalvage(
  context: GitContext,
  request: RestoreRequest,
): Promise<Result<Restored>> {
  const entry = await findSalvage(context.git, request.repository, request.ref);
  if (!entry.ok) return entry;
  switch (request.place.kind) {
    case 'branch':
      return restoreAsBranch(context, request.repository, entry.value, request.place.branch);
    case 'new-worktree':
    case 'worktree':
      return restoreAt(context, request.repository, entry.value, request.place);
  }
}

/** Restores files, after every earlier restore at the same place. */
async function restoreAt(
  context: GitContext,
  repository: string,
  entry: SalvageEntry,
  place: Exclude<RestorePlace, { kind: 'branch' }>,
): Promise<Result<Restored>> {
  return context.queue.run(`restore:${place.path}`, () =>
    place.kind === 'worktree'
      ? restoreInPlace(context, repository, entry, place.path)
      : restoreInNew(context, repository, entry, place),
  );
}

async function restoreAsBranch(
  context: GitContext,
  repository: string,
  entry: SalvageEntry,
  branch: string,
): Promise<Result<Restored>> {
  const { git } = context;
  const taken = await resolveCommit(git, repository, branchRef(branch));
  if (!taken.ok) return taken;
  if (taken.value !== null) return refuseRestore(entry, 'branch-exists', branch);
  const commit = await commitAll(context, repository, entry);
  if (!commit.ok) return commit;
  const change = { ref: branchRef(branch), to: commit.value, from: NO_OBJECT };
  const made = await changeRef(git, repository, change);
  return made.ok ? success({ ref: entry.ref, path: null, branch, head: commit.value }) : made;
}

/** One commit of everything on top of where the work began. */
async function commitAll(
  { git }: GitContext,
  repository: string,
  entry: SalvageEntry,
): Promise<Result<string>> {
  if (entry.kind === 'commit') return success(entry.commit);
  const saved = await readCommit(git, repository, entry.commit);
  if (!saved.ok) return saved;
  return storeCommit(git, repository, {
    tree: saved.value.tree,
    parents: entry.head === null ? [] : [entry.head],
    message: `Restore unsaved work\n\nFrom ${entry.ref}.\n`,
  });
}

async function restoreInPlace(
  context: GitContext,
  repository: string,
  entry: SalvageEntry,
  path: string,
): Promise<Result<Restored>> {
  const found = await readWorktree(context, repository, path);
  if (!found.ok) return found;
  if (found.value === null) return refuseRestore(entry, 'no-worktree', path);
  const worktree = found.value;
  const room = await findRoom(context, worktree, entry);
  if (!room.ok) return room;
  const filled =
    room.value === 'free' ? await fillIn(context, worktree, entry) : success(undefined);
  if (!filled.ok) return filled;
  const restored = await restoreFiles(context, worktree, entry);
  if (!restored.ok) return restored;
  return success({ ref: entry.ref, path, branch: worktree.branch, head: entry.head });
}

async function fillIn(
  { git }: GitContext,
  { path, head }: Worktree,
  entry: SalvageEntry,
): Promise<Result<void>> {
  const merged = await git.run({
    directory: path,
    argv: ['read-tree', '-m', '-u', `${head}^{tree}`, `${entry.commit}^{tree}`],
    timeoutMs: CHECKOUT_TIMEOUT_MS,
  });
  if (!merged.ok) return merged;
  return merged.value.exitCode === 0
    ? success(undefined)
    : refuseRestore(entry, 'in-the-way', path);
}

/**
 * Fails unless a worktree stands where the work began and holds nothing else. `filled` is one that
 * holds this very work, as a restore that was cut off leaves it.
 */
async function findRoom(
  context: GitContext,
  worktree: Worktree,
  entry: SalvageEntry,
): Promise<Result<'free' | 'filled'>> {
  const { path, head } = worktree;
  if (head === null || head !== entry.head) return refuseRestore(entry, 'other-commit', path);
  if (listOperations(context.files, worktree.gitDirectory).length > 0) {
    return refuseRestore(entry, 'not-clean', path);
  }
  const isDirty = await hasUncommittedWork(context, path);
  if (!isDirty.ok) return isDirty;
  if (isDirty.value) {
    const isSame = await isRestoredWork(context, { worktree, entry, extent: 'whole' });
    if (!isSame.ok) return isSame;
    return isSame.value ? success('filled') : refuseRestore(entry, 'not-clean', path);
  }
  const inTheWay = await findInTheWay(context, worktree, entry);
  if (!inTheWay.ok) return inTheWay;
  return inTheWay.value === null
    ? success('free')
    : refuseRestore(entry, 'in-the-way', inTheWay.value);
}

/** What stands where the work had a file of its own: git would take an ignored one for worthless. */
async function findInTheWay(
  { git, files }: GitContext,
  { path }: Worktree,
  { head, commit }: SalvageEntry,
): Promise<Result<string | null>> {
  const flags = ['-r', '-z', '--name-only', '--no-renames', '--diff-filter=A'];
  const argv = ['diff-tree', ...flags, `${head}^{tree}`, `${commit}^{tree}`];
  const added = await git.list({ directory: path, argv });
  if (!added.ok) return added;
  const kindOf = (name: string): string => {
    const state = files.stat(join(path, name));
    return state.ok ? state.value.kind : 'unknown';
  };
  const folders = new Set(added.value.flatMap((name) => foldersOf(name)));
  const folder = [...folders].find((each) => !['absent', 'directory'].includes(kindOf(each)));
  const file = added.value.find((each) => kindOf(each) !== 'absent');
  const found = folder ?? file;
  return success(found === undefined ? null : join(path, found));
}

function foldersOf(name: string): readonly string[] {
  const parts = name.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
