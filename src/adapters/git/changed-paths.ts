import type { Result } from '../../domain/result.js';
import { failed } from '../../domain/result.js';
import type { GitContext } from './git-context.js';
import { branchRef, resolveCommit } from './refs.js';
import { findStartPoint } from './start-point.js';

export type ChangedPathsRequest = {
  readonly repository: string;
  readonly branch: string;
  readonly base: string;
};

/** The files that the commits of a branch changed since it left its base; no worktree is looked at. */
export async function changedPaths(
  { git }: GitContext,
  { repository, branch, base }: ChangedPathsRequest,
): Promise<Result<readonly string[]>> {
  const tip = await resolveCommit(git, repository, branchRef(branch));
  if (!tip.ok) return tip;
  if (tip.value === null) return failed({ kind: 'branch-missing', branch });
  const start = await findStartPoint(git, repository, base);
  if (!start.ok) return start;
  const fork = await git.run({
    directory: repository,
    argv: ['merge-base', '--end-of-options', start.value.commit, tip.value],
  });
  if (!fork.ok) return fork;
  const from = fork.value.exitCode === 0 ? fork.value.stdout.trim() : start.value.commit;
  return git.list({
    directory: repository,
    argv: ['diff-tree', '-r', '-z', '--name-only', '--no-renames', from, tip.value],
  });
}
