import type { Result } from '../../domain/result.js';
import { findFork } from './fork-point.js';
import type { GitContext } from './git-context.js';

export type ChangedPathsRequest = {
  readonly repository: string;
  readonly branch: string;
  readonly base: string;
};

/** The files that the commits of a branch changed since it left its base; no worktree is looked at. */
export async function changedPaths(
  context: GitContext,
  request: ChangedPathsRequest,
): Promise<Result<readonly string[]>> {
  const fork = await findFork(context, request);
  if (!fork.ok) return fork;
  const { from, tip } = fork.value;
  return context.git.list({
    directory: request.repository,
    argv: ['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, tip],
  });
}
