import { join } from 'node:path';
import type { Result } from '../../domain/result.js';
import { DONE, failed, success } from '../../domain/result.js';
import type { MergeRequest } from '../../domain/merge-request.js';
import type { Files } from '../../ports.js';
import { CHECKOUT_TIMEOUT_MS } from './git-command.js';
import type { GitContext } from './git-context.js';
import { branchRef, changeRef, NO_OBJECT, resolveCommit } from './refs.js';
import { findCheckout } from './worktree-list.js';
import { listOperations } from './worktree-state.js';

export type BaseMove = {
  readonly to: string;
  /** What the local base must be at now; null when it must not exist. */
  readonly from: string | null;
};

/** Moves the base branch to a commit built on it; `moved` when somebody was faster. */
export async function moveBase(
  context: GitContext,
  request: MergeRequest,
  move: BaseMove,
): Promise<Result<'done' | 'moved'>> {
  const { repository, base } = request;
  const where = await findCheckout(context, repository, base);
  if (!where.ok) return where;
  if (where.value !== null)
    return advanceCheckout(context, request, { ...move, where: where.value });
  const change = { ref: branchRef(base), to: move.to, from: move.from ?? NO_OBJECT };
  const changed = await changeRef(context.git, repository, change);
  if (changed.ok) return success('done');
  const now = await resolveCommit(context.git, repository, branchRef(base));
  if (!now.ok) return now;
  return now.value === move.from ? changed : success('moved');
}

/**
 * Refuses a move that the checkout of the base would not follow as it is now. What passes may still
 * be refused by `moveBase`: a person goes on working there meanwhile.
 */
export async function foreseeMove(
  context: GitContext,
  request: MergeRequest,
  move: BaseMove,
): Promise<Result<void>> {
  const where = await findCheckout(context, request.repository, request.base);
  if (!where.ok) return where;
  if (where.value === null) return DONE;
  const clean = await checkClean(context, request, where.value);
  if (!clean.ok) return clean;
  const isFree = await isWayFree(context, move, { where: where.value, ...clean.value });
  if (!isFree.ok) return isFree;
  return isFree.value ? DONE : dirty(request, where.value);
}

/** Whether no untracked file has a name that the move brings. */
async function isWayFree(
  { git, files }: GitContext,
  { from, to }: BaseMove,
  checkout: { readonly where: string; readonly gitDirectory: string },
): Promise<Result<boolean>> {
  const { where, gitDirectory } = checkout;
  const sparse = files.stat(join(gitDirectory, 'info/sparse-checkout'));
  // In a sparse checkout git leaves some files unwritten, so that one of the same name does not hinder.
  if (from === null || !sparse.ok || sparse.value.kind !== 'absent') return success(true);
  const added = await git.list({
    directory: where,
    argv: ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--diff-filter=A', from, to],
  });
  if (!added.ok) return added;
  return success(!added.value.some((name) => isTaken(files, where, name)));
}

function isTaken(files: Files, where: string, name: string): boolean {
  const there = files.stat(join(where, name));
  if (!there.ok || (there.value.kind !== 'file' && there.value.kind !== 'link')) return false;
  // What is behind a link is elsewhere; the link itself is tracked and goes, or git finds it.
  const folders = name.split('/').slice(0, -1);
  return !folders.some((_folder, index) => {
    const folder = files.stat(join(where, ...folders.slice(0, index + 1)));
    return folder.ok && folder.value.kind === 'link';
  });
}

/** Fast-forwards a clean checkout of the base; anything else there is left exactly as it is. */
async function advanceCheckout(
  context: GitContext,
  request: MergeRequest,
  move: BaseMove & { readonly where: string },
): Promise<Result<'done' | 'moved'>> {
  const { git } = context;
  const { where } = move;
  const now = await resolveCommit(git, request.repository, branchRef(request.base));
  if (!now.ok) return now;
  if (now.value !== move.from) return success('moved');
  const clean = await checkClean(context, request, where);
  if (!clean.ok) return clean;
  const advanced = await git.run({
    directory: where,
    argv: [
      'merge',
      '--ff-only',
      '--quiet',
      '--no-stat',
      '--no-autostash',
      '--no-verify-signatures',
      '--no-overwrite-ignore',
      move.to,
    ],
    timeoutMs: CHECKOUT_TIMEOUT_MS,
  });
  return advanced.ok ? judgeAdvance(context, request, move) : advanced;
}

/** What became of the base itself: whoever switched branches there meanwhile has moved another one. */
async function judgeAdvance(
  { git }: GitContext,
  request: MergeRequest,
  { from, to, where }: BaseMove & { readonly where: string },
): Promise<Result<'done' | 'moved'>> {
  const reached = await resolveCommit(git, request.repository, branchRef(request.base));
  if (!reached.ok) return reached;
  if (reached.value === to) return success('done');
  const head = await git.run({ directory: where, argv: ['symbolic-ref', '--quiet', 'HEAD'] });
  if (!head.ok) return head;
  const isStillThere = head.value.stdout.trim() === branchRef(request.base);
  return isStillThere && reached.value === from ? dirty(request, where) : success('moved');
}

async function checkClean(
  context: GitContext,
  request: MergeRequest,
  where: string,
): Promise<Result<{ readonly gitDirectory: string }>> {
  const place = await context.git.run({
    directory: where,
    argv: ['rev-parse', '--absolute-git-dir', '--show-toplevel'],
  });
  if (!place.ok) return place;
  const [gitDirectory = '', top = ''] = place.value.stdout.split('\n');
  // A checkout that git would look for elsewhere is not the one that was found.
  if (place.value.exitCode !== 0 || top !== where) return dirty(request, where);
  if (listOperations(context.files, gitDirectory).length > 0) return dirty(request, where);
  const status = await context.git.text({
    directory: where,
    argv: ['status', '--porcelain=v1', '-z', '--untracked-files=no', '--ignore-submodules=dirty'],
  });
  if (!status.ok) return status;
  return status.value === '' ? success({ gitDirectory }) : dirty(request, where);
}

function dirty(request: MergeRequest, where: string): ReturnType<typeof failed> {
  return failed({
    kind: 'merge-refused',
    base: request.base,
    reason: 'dirty-checkout',
    where,
  });
}
