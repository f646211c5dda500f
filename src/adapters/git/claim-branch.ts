import { failpoint } from '../../domain/failpoint.js';
import type { Result } from '../../domain/result.js';
import { DONE, failed, success } from '../../domain/result.js';
import type { BindRequest } from '../../ports.js';
import { claimByFiles } from './claim-by-files.js';
import { CHECKOUT_TIMEOUT_MS } from './git-command.js';
import type { GitContext } from './git-context.js';
import { findCommonDirectory, inOrder } from './git-context.js';
import { lookUpRefs } from './look-up-refs.js';
import { seeGitDirectory } from './ref-files.js';
import { branchRef } from './refs.js';
import { findCheckout } from './worktree-list.js';

export type Bound = { readonly head: string };

/** What the branch is to be: a new one on this commit, or one that is there and stands on it. */
type Claim = { readonly commit: string; readonly kind: 'new' | 'existing' };

/** Puts a worktree that has the commit checked out on the branch; `moved` when the branch is not as said. */
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
  const claimed = await inOrder(
    () => refuseTakenBranch(context, request),
    () => {
      failpoint('bind.before-claim');
      return goToBranch(context, request, { commit, kind });
    },
  );
  failpoint('bind.branch-claimed');
  return claimed.ok ? success({ head: commit }) : claimed;
}

async function goToBranch(
  context: GitContext,
  { repository, branch, worktree: directory }: BindRequest,
  { commit, kind }: Claim,
): Promise<Result<void>> {
  const { git, files } = context;
  const ref = branchRef(branch);
  const toRef = ['symbolic-ref', '-m', 'orange: bind', 'HEAD', ref];
  if (kind === 'existing') return git.perform({ directory, argv: toRef });
  const common = await findCommonDirectory(context, repository);
  if (!common.ok) return common;
  const gitDirectory = seeGitDirectory(files, common.value, directory);
  if (gitDirectory !== null) {
    const place = { common: common.value, gitDirectory };
    if (claimByFiles(files, { ...place, ref, commit })) return DONE;
  }
  const isMade = await lookUpRefs(context, repository, [ref]);
  if (!isMade.ok) return isMade;
  // Making the branch and going to it are one step for git, which then need not look at any file.
  const argv =
    isMade.value[0] === commit
      ? toRef
      : ['switch', '--quiet', '--no-track', '--no-guess', '-c', branch];
  return git.perform({ directory, argv, timeoutMs: CHECKOUT_TIMEOUT_MS });
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
