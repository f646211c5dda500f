import { failpoint } from '../../domain/failpoint.js';
import type { Result } from '../../domain/result.js';
import { DONE, failed } from '../../domain/result.js';
import { checkBranchConflict, checkBranchName } from './branch-names.js';
import type { GitContext } from './git-context.js';
import { inOrder } from './git-context.js';
import { branchRef, resolveCommit } from './refs.js';
import { dropReviewed } from './reviewed-head.js';
import { salvageCommit } from './salvage.js';
import { findCheckout } from './worktree-list.js';

export type RenameRequest = {
  readonly repository: string;
  readonly from: string;
  readonly to: string;
};

/** Gives a branch a free name, also where it is checked out. Must run in the repository's turn. */
export async function renameBranch(
  context: GitContext,
  request: RenameRequest,
): Promise<Result<void>> {
  const { git } = context;
  const { repository, from, to } = request;
  if (from === to) return DONE;
  const isName = await checkBranchName(git, to);
  if (!isName.ok) return isName;
  const source = await resolveCommit(git, repository, branchRef(from));
  if (!source.ok) return source;
  const target = await resolveCommit(git, repository, branchRef(to));
  if (!target.ok) return target;
  if (source.value === null) {
    // A repeat after success finds it under its new name.
    return target.value === null ? failed({ kind: 'branch-missing', branch: from }) : DONE;
  }
  if (target.value !== null) return failed({ kind: 'branch-conflict', branch: to, with: to });
  return inOrder(
    () => checkBranchConflict(git, repository, { branch: to, asideFrom: from }),
    () => git.perform({ directory: repository, argv: ['branch', '-m', '--', from, to] }),
  );
}

export type DeleteRequest = {
  readonly repository: string;
  readonly branch: string;
  readonly taskId: string;
};

/** Removes a branch nobody has checked out, keeping a tip that nothing else leads to. Must run in turn. */
export async function deleteMergedBranch(
  context: GitContext,
  request: DeleteRequest,
): Promise<Result<void>> {
  const { git } = context;
  const { repository, branch, taskId } = request;
  const ref = branchRef(branch);
  const tip = await resolveCommit(git, repository, ref);
  if (!tip.ok) return tip;
  if (tip.value === null) return DONE;
  const commit = tip.value;
  const where = await findCheckout(context, repository, branch);
  if (!where.ok) return where;
  if (where.value !== null) return failed({ kind: 'branch-in-use', branch, where: where.value });
  const head = await git.run({ directory: repository, argv: ['symbolic-ref', '--quiet', 'HEAD'] });
  if (!head.ok) return head;
  if (head.value.stdout.trim() === ref) {
    return failed({ kind: 'branch-in-use', branch, where: repository });
  }
  failpoint('release.before-branch-goes');
  return inOrder(
    () => salvageCommit(context, repository, { commit, taskId, asideFrom: ref }),
    () =>
      git.perform({
        directory: repository,
        argv: ['update-ref', '-d', '-m', 'orange: merged', ref, commit],
      }),
    () => dropReviewed(context, repository, taskId),
  );
}
