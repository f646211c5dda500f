import type { Result } from '../../domain/result.js';
import { failed, success } from '../../domain/result.js';
import type { WorktreeFacts } from '../../ports.js';
import type { GitContext } from './git-context.js';
import { verifyIdle } from './release-worktree.js';
import { readWorktree } from './worktree-state.js';

/** What a worktree is like now; null when there is nothing at that place. Changes nothing. */
export async function inspectWorktree(
  context: GitContext,
  request: {
    readonly repository: string;
    readonly worktree: string;
    readonly depth: 'branch' | 'content';
  },
): Promise<Result<WorktreeFacts | null>> {
  const found = await readWorktree(context, request.repository, request.worktree);
  if (!found.ok || found.value === null) return found.ok ? success(null) : found;
  const { branch } = found.value;
  if (request.depth === 'branch') return success({ branch, unrest: null });
  const idle = await verifyIdle(context, found.value);
  if (idle.ok) return success({ branch, unrest: null });
  if (idle.failure.kind !== 'worktree-unusable') return failed(idle.failure);
  return success({ branch, unrest: idle.failure.reason });
}
