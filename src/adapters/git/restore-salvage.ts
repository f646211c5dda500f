import { dirname, join } from 'node:path';
import { DONE, failed, success, type Result } from '../../domain/result.js';
import type { RestorePlace, RestoreRefusal, Restored, SalvageEntry } from '../../domain/salvage.js';
import { readCommit, storeCommit } from './commit-objects.js';
import { CHECKOUT_TIMEOUT_MS } from './git-command.js';
import { inOrder, inRepositoryTurn, type GitContext } from './git-context.js';
import { branchRef, changeRef, NO_OBJECT, resolveCommit } from './refs.js';
import { restoreFiles } from './restore-files.js';
import { findSalvage } from './salvage-refs.js';
import { hasUncommittedWork } from './uncommitted-work.js';
import { findCheckout } from './worktree-list.js';
import {
  isVacant,
  listOperations,
  readWorktree,
  unusable,
  type Worktree,
} from './worktree-state.js';

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
      return restoreInNew(context, request.repository, entry.value, request.place);
    case 'worktree':
      return restoreInPlace(context, request.repository, entry.value, request.place.path);
  }
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
  if (taken.value !== null) return refuse(entry, 'branch-exists', branch);
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

async function restoreInNew(
  context: GitContext,
  repository: string,
  entry: SalvageEntry,
  place: Extract<RestorePlace, { kind: 'new-worktree' }>,
): Promise<Result<Restored>> {
  const { path } = place;
  if (!isVacant(context.files, path)) return refuse(entry, 'place-taken', path);
  const head = entry.head ?? entry.commit;
  const added = await inRepositoryTurn(context, repository, () =>
    inOrder(
      () => context.files.makeDirectory(dirname(path)),
      () =>
        context.git.perform({
          directory: repository,
          argv: ['worktree', 'add', '--quiet', '--no-checkout', '--detach', '--', path, head],
        }),
    ),
  );
  if (!added.ok) return added;
  const worktree = await readMade(context, repository, path);
  if (!worktree.ok) return worktree;
  const filled = await inOrder(
    () => fill(context, path, entry.commit),
    () => restoreFiles(context, worktree.value, entry),
  );
  if (!filled.ok) return takeBack(context, repository, path, filled);
  const branch = await attachBranch(context, repository, { entry, path, wanted: place.branch });
  return branch.ok
    ? success({ ref: entry.ref, path, branch: branch.value, head: entry.head })
    : branch;
}

function fill({ git }: GitContext, directory: string, commit: string): Promise<Result<void>> {
  return git.perform({
    directory,
    argv: ['read-tree', '--reset', '-u', `${commit}^{tree}`],
    timeoutMs: CHECKOUT_TIMEOUT_MS,
  });
}

/** A half-filled worktree of our own making helps nobody; the saved work is all still there. */
async function takeBack<T>(
  { git }: GitContext,
  repository: string,
  path: string,
  failure: Result<T>,
): Promise<Result<never>> {
  const argv = ['worktree', 'remove', '--force', '--', path];
  await git.run({ directory: repository, argv });
  return failure.ok ? unusable(path, 'it could not be filled') : failure;
}

async function readMade(
  context: GitContext,
  repository: string,
  path: string,
): Promise<Result<Worktree>> {
  const found = await readWorktree(context, repository, path);
  if (!found.ok) return found;
  return found.value === null ? unusable(path, 'it could not be made') : success(found.value);
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

async function restoreInPlace(
  context: GitContext,
  repository: string,
  entry: SalvageEntry,
  path: string,
): Promise<Result<Restored>> {
  const found = await readWorktree(context, repository, path);
  if (!found.ok) return found;
  if (found.value === null) return refuse(entry, 'no-worktree', path);
  const worktree = found.value;
  const isOpen = await requireRoom(context, worktree, entry);
  if (!isOpen.ok) return isOpen;
  const merged = await context.git.run({
    directory: path,
    argv: ['read-tree', '-m', '-u', `${worktree.head}^{tree}`, `${entry.commit}^{tree}`],
    timeoutMs: CHECKOUT_TIMEOUT_MS,
  });
  if (!merged.ok) return merged;
  if (merged.value.exitCode !== 0) return refuse(entry, 'in-the-way', path);
  const restored = await restoreFiles(context, worktree, entry);
  if (!restored.ok) return restored;
  return success({ ref: entry.ref, path, branch: worktree.branch, head: entry.head });
}

/** Fails unless a worktree stands where the work began and holds nothing else. */
async function requireRoom(
  context: GitContext,
  worktree: Worktree,
  entry: SalvageEntry,
): Promise<Result<void>> {
  const { path, head } = worktree;
  if (head === null || head !== entry.head) return refuse(entry, 'other-commit', path);
  const isDirty = await hasUncommittedWork(context, path);
  if (!isDirty.ok) return isDirty;
  const isBusy = listOperations(context.files, worktree.gitDirectory).length > 0;
  if (isDirty.value || isBusy) return refuse(entry, 'not-clean', path);
  const inTheWay = await findInTheWay(context, worktree, entry);
  if (!inTheWay.ok) return inTheWay;
  return inTheWay.value === null ? DONE : refuse(entry, 'in-the-way', inTheWay.value);
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

function refuse(
  { ref }: SalvageEntry,
  reason: RestoreRefusal,
  place: string,
): ReturnType<typeof failed> {
  return failed({ kind: 'restore-refused', ref, reason, place });
}
