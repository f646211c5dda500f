import type { ChangedPathsRequest } from '../../domain/merge-request.js';
import { success, type Result } from '../../domain/result.js';
import { findFork } from './fork-point.js';
import type { GitContext } from './git-context.js';
import { listUncommittedPaths } from './uncommitted-work.js';

/**
 * The files that a branch changed since it left its base, each once: by its commits, and by what is
 * not committed in its worktree. Files that git ignores do not count.
 */
export async function changedPaths(
  context: GitContext,
  request: ChangedPathsRequest,
): Promise<Result<readonly string[]>> {
  const { repository, worktree } = request;
  const fork = await findFork(context, request);
  if (!fork.ok) return fork;
  const { from, tip } = fork.value;
  const committed = await context.git.list({
    directory: repository,
    argv: ['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, tip],
  });
  if (!committed.ok || worktree === null) return committed;
  const uncommitted = await listUncommittedPaths(context, worktree);
  if (!uncommitted.ok) return uncommitted;
  return success([...new Set([...committed.value, ...uncommitted.value])]);
}
