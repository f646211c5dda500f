import type { Result } from '../../domain/result.js';
import { DONE, failed } from '../../domain/result.js';
import type { MergeRequest } from '../../domain/merge-request.js';
import type { GitContext } from './git-context.js';
import { lookUpRefs } from './look-up-refs.js';
import { branchRef, resolveCommit, taskRef } from './refs.js';

export type ReviewedRequest = {
  readonly repository: string;
  readonly branch: string;
  readonly taskId: string;
};

/** Keeps the commit at which a branch was judged, in place of an earlier one. Must run in turn. */
export async function markReviewed(
  context: GitContext,
  { repository, branch, taskId }: ReviewedRequest,
): Promise<Result<void>> {
  const ref = taskRef('reviewed', taskId);
  if (!ref.ok) return ref;
  const tip = await resolveCommit(context.git, repository, branchRef(branch));
  if (!tip.ok) return tip;
  if (tip.value === null) return dropReviewed(context, repository, taskId);
  return context.git.perform({
    directory: repository,
    argv: ['update-ref', '-m', 'orange: reviewed', ref.value, tip.value],
  });
}

/** Forgets what was judged; nothing noted is fine. Must run in turn. */
export async function dropReviewed(
  context: GitContext,
  repository: string,
  taskId: string,
): Promise<Result<void>> {
  const ref = taskRef('reviewed', taskId);
  if (!ref.ok) return ref;
  const known = await lookUpRefs(context, repository, [ref.value]);
  if (!known.ok) return known;
  if (known.value[0] === null) return DONE;
  return context.git.perform({ directory: repository, argv: ['update-ref', '-d', ref.value] });
}

/** Refuses a branch that has moved since it was judged; one that nobody judged may be anything. */
export async function checkReviewed(
  context: GitContext,
  request: MergeRequest,
  tip: string,
): Promise<Result<void>> {
  if (request.heads === 'any') return DONE;
  const ref = taskRef('reviewed', request.taskId);
  if (!ref.ok) return ref;
  const judged = await resolveCommit(context.git, request.repository, ref.value);
  if (!judged.ok) return judged;
  if (judged.value === null || judged.value === tip) return DONE;
  const { base, branch } = request;
  return failed({ kind: 'merge-refused', base, reason: 'head-moved', where: branch });
}
