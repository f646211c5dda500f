import type { Result } from '../../domain/result.js';
import { failed, success } from '../../domain/result.js';
import type { GitContext } from './git-context.js';
import { branchRef, resolveCommit } from './refs.js';
import { findStartPoint } from './start-point.js';

export type ForkPoint = { readonly from: string; readonly tip: string };

/** Where a branch left its base, and how far it has come. */
export async function findFork(
  { git }: GitContext,
  place: { readonly repository: string; readonly branch: string; readonly base: string },
): Promise<Result<ForkPoint>> {
  const { repository, branch, base } = place;
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
  return success({ from, tip: tip.value });
}
