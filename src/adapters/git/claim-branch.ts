import { failpoint } from '../../domain/failpoint.js';
import type { Result } from '../../domain/result.js';
import { DONE, failed, success } from '../../domain/result.js';
import type { BindRequest } from '../../ports.js';
import { claimByFiles } from './claim-by-files.js';
import { CHECKOUT_TIMEOUT_MS } from './git-command.js';
import type { GitContext } from './git-context.js';
import { findCommonDirectory } from './git-context.js';
import { lookUpRefs } from './look-up-refs.js';
import { seeGitDirectory } from './ref-files.js';
import { branchRef } from './refs.js';
import { findCheckout } from './worktree-list.js';
import { needWorktree } from './worktree-state.js';

export type Bound = { readonly head: string };

/** What the branch is to be: a new one on this commit, or one that is there and stands on it. */
type Claim = { readonly commit: string; readonly kind: 'new' | 'existing' };

/** Puts a worktree that has the commit checked out on the branch; `moved` when one of them is not as said. */
export async function claimBranch(
  context: GitContext,
  request: BindRequest,
  { commit, kind }: Claim,
): Promise<Result<Bound | 'moved'>> {
  failpoint('bind.checked-out');
  const { repository, branch } = request;
  const found = await lookUpRefs(context, repository, [branchRef(branch)]);
  if (!found.ok) return found;
  const tip = found.value[0] ?? null;
  if ((tip === null) !== (kind === 'new')) return success('moved');
  if (tip !== null && tip !== commit) return success('moved');
  const isFree = await refuseTakenBranch(context, request);
  if (!isFree.ok) return isFree;
  failpoint('bind.before-claim');
  const gone = await goToBranch(context, request, { commit, kind });
  failpoint('bind.branch-claimed');
  if (!gone.ok) return gone;
  return success(gone.value === 'moved' ? 'moved' : { head: commit });
}

/** Whether a worktree has this commit checked out, and no branch. */
export async function isOn(
  context: GitContext,
  request: BindRequest,
  commit: string | null,
): Promise<Result<boolean>> {
  const worktree = await needWorktree(context, request);
  if (!worktree.ok) return worktree;
  return success(worktree.value.isDetached && worktree.value.head === commit);
}

async function goToBranch(
  context: GitContext,
  request: BindRequest,
  { commit, kind }: Claim,
): Promise<Result<void | 'moved'>> {
  const isDone = kind === 'new' ? await claimQuickly(context, request, commit) : success(false);
  if (!isDone.ok || isDone.value) return isDone.ok ? DONE : isDone;
  // Somebody's commit must neither get onto the branch nor lose what leads to it.
  const stays = await isOn(context, request, commit);
  if (!stays.ok) return stays;
  return stays.value ? claimByGit(context, request, commit) : success('moved');
}

async function claimByGit(
  context: GitContext,
  { repository, branch, worktree: directory }: BindRequest,
  commit: string,
): Promise<Result<void | 'moved'>> {
  const ref = branchRef(branch);
  const found = await lookUpRefs(context, repository, [ref]);
  if (!found.ok) return found;
  const tip = found.value[0] ?? null;
  if (tip !== null && tip !== commit) return success('moved');
  // Making the branch and going to it are one step for git, which then need not look at any file.
  const argv =
    tip === commit
      ? ['symbolic-ref', '-m', 'orange: bind', 'HEAD', ref]
      : ['switch', '--quiet', '--no-track', '--no-guess', '-c', branch];
  return context.git.perform({ directory, argv, timeoutMs: CHECKOUT_TIMEOUT_MS });
}

async function claimQuickly(
  context: GitContext,
  { repository, branch, worktree }: BindRequest,
  commit: string,
): Promise<Result<boolean>> {
  const { files } = context;
  const common = await findCommonDirectory(context, repository);
  if (!common.ok) return common;
  const gitDirectory = seeGitDirectory(files, common.value, worktree);
  if (gitDirectory === null) return success(false);
  const place = { common: common.value, gitDirectory };
  return success(claimByFiles(files, { ...place, ref: branchRef(branch), commit }));
}

/** Fails when the branch is checked out, or being rebased, anywhere. */
export async function refuseTakenBranch(
  context: GitContext,
  request: BindRequest,
): Promise<Result<void>> {
  const { repository, branch } = request;
  const where = await findCheckout(context, repository, branch);
  if (!where.ok) return where;
  return where.value === null
    ? success(undefined)
    : failed({ kind: 'branch-in-use', branch, where: where.value });
}
