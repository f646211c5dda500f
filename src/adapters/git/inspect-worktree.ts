import type { Failure } from '../../domain/failure.js';
import type { Result } from '../../domain/result.js';
import { failed, success } from '../../domain/result.js';
import type { WorktreeFacts } from '../../ports.js';
import type { GitContext } from './git-context.js';
import { findPointerless } from './recover-worktree.js';
import { isKeptByRef } from './refs.js';
import { verifyIdle } from './release-worktree.js';
import type { Worktree } from './worktree-state.js';
import { readWorktree } from './worktree-state.js';

/** What a worktree is like now; null when there is nothing at that place. Changes nothing. */
export async function inspectWorktree(
  context: GitContext,
  request: {
    readonly repository: string;
    readonly worktree: string;
    readonly depth: 'branch' | 'content' | 'commits';
  },
): Promise<Result<WorktreeFacts | null>> {
  const found = await readWorktree(context, request.repository, request.worktree);
  if (!found.ok) return explainUnusable(context, request, found.failure);
  if (found.value === null) return success(null);
  const { branch } = found.value;
  if (request.depth === 'branch') return success({ branch, unrest: null });
  const idle = await verifyIdle(context, found.value);
  if (idle.ok && request.depth === 'content') return success({ branch, unrest: null });
  if (idle.ok) return weighCommit(context, found.value);
  if (idle.failure.kind !== 'worktree-unusable') return failed(idle.failure);
  return success({ branch, unrest: idle.failure.reason });
}

/** Whether there is more to it than a `.git` that can be put back. */
async function explainUnusable(
  context: GitContext,
  place: { readonly repository: string; readonly worktree: string },
  failure: Failure,
): Promise<Result<never>> {
  if (failure.kind !== 'worktree-unusable') return failed(failure);
  const record = await findPointerless(context, place);
  if (!record.ok) return record;
  if (record.value === null) return failed(failure);
  return failed({ ...failure, reason: 'its .git is missing', isRecoverable: true });
}

async function weighCommit(
  { git }: GitContext,
  { path, branch, head }: Worktree,
): Promise<Result<WorktreeFacts>> {
  const isKept = head === null ? success(true) : await isKeptByRef(git, path, head);
  if (!isKept.ok) return isKept;
  return success({ branch, unrest: isKept.value ? null : 'no ref leads to its commit' });
}
