import type { Result } from '../../domain/result.js';
import { failed, success } from '../../domain/result.js';
import type { Git } from './git-command.js';
import type { GitContext } from './git-context.js';
import { lookUpRefs } from './look-up-refs.js';
import { branchRef, isAncestor, remoteBranchRef, resolveRefs } from './refs.js';

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
  const refs = [branchRef(branch), remoteBranchRef(branch)];
  const found = await resolveRefs(git, repository, refs);
  if (!found.ok) return found;
  const [local = null, remote = null] = found.value;
  if (local === null && remote === null) return missingBase(git, repository, branch);
  if (local === null || remote === null) {
    return success({ local, remote, commit: local ?? remote ?? '' });
  }
  return chooseFurther(git, repository, { local, remote });
}

/** The same, with as few processes as the files of the repository allow. */
export async function findStartQuickly(
  context: GitContext,
  repository: string,
  branch: string,
): Promise<Result<StartPoint>> {
  const found = await lookUpRefs(context, repository, [branchRef(branch), remoteBranchRef(branch)]);
  if (!found.ok) return found;
  const [local = null, remote = null] = found.value;
  const commit = local ?? remote;
  if (commit === null) return missingBase(context.git, repository, branch);
  if (local === null || remote === null) return success({ local, remote, commit });
  if (local === remote) return success({ local, remote, commit });
  return recallFurther(context, repository, { local, remote });
}

async function recallFurther(
  context: GitContext,
  repository: string,
  tips: { readonly local: string; readonly remote: string },
): Promise<Result<StartPoint>> {
  const pair = `${tips.remote} ${tips.local}`;
  const known = context.ancestries.get(pair);
  if (known !== undefined) {
    return success({ ...tips, commit: known ? tips.local : tips.remote });
  }
  const chosen = await chooseFurther(context.git, repository, tips);
  if (!chosen.ok) return chosen;
  if (context.ancestries.size > MAX_ANCESTRIES) context.ancestries.clear();
  context.ancestries.set(pair, chosen.value.commit === tips.local);
  return chosen;
}

const MAX_ANCESTRIES = 1000;

async function chooseFurther(
  git: Git,
  repository: string,
  { local, remote }: { readonly local: string; readonly remote: string },
): Promise<Result<StartPoint>> {
  if (local === remote) return success({ local, remote, commit: local });
  const range = { older: remote, newer: local };
  const isUpToDate = await isAncestor(git, repository, range);
  if (!isUpToDate.ok) return isUpToDate;
  return success({ local, remote, commit: isUpToDate.value ? local : remote });
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
