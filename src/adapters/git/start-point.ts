import type { Result } from '../../domain/result.js';
import { failed, success } from '../../domain/result.js';
import type { Git } from './git-command.js';
import { branchRef, isAncestor, remoteBranchRef, resolveCommit } from './refs.js';

export type StartPoint = {
  readonly commit: string;
  readonly local: string | null;
  readonly remote: string | null;
};

/**
 * Where work on top of a branch begins: the local branch if it has everything the remote's has or
 * there is no remote one, else the remote's.
 */
export async function findStartPoint(
  git: Git,
  repository: string,
  branch: string,
): Promise<Result<StartPoint>> {
  const local = await resolveCommit(git, repository, branchRef(branch));
  if (!local.ok) return local;
  const remote = await resolveCommit(git, repository, remoteBranchRef(branch));
  if (!remote.ok) return remote;
  const known = { local: local.value, remote: remote.value };
  if (known.local === null && known.remote === null) return missingBase(git, repository, branch);
  if (known.local === null || known.remote === null) {
    return success({ ...known, commit: known.local ?? known.remote ?? '' });
  }
  const range = { older: known.remote, newer: known.local };
  const isUpToDate = await isAncestor(git, repository, range);
  if (!isUpToDate.ok) return isUpToDate;
  return success({ ...known, commit: isUpToDate.value ? known.local : known.remote });
}

async function missingBase(
  git: Git,
  repository: string,
  branch: string,
): Promise<Result<StartPoint>> {
  const anyCommit = await git.text({ directory: repository, argv: ['rev-list', '-n1', '--all'] });
  if (!anyCommit.ok) return anyCommit;
  if (anyCommit.value === '') {
    return failed({ kind: 'repository-without-commits', path: repository });
  }
  return failed({ kind: 'base-missing', base: branch });
}
