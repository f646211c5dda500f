import type { Result } from '../../domain/result.js';
import { success } from '../../domain/result.js';
import type { Git } from './git-command.js';
import { resolveRefs, taskRef } from './refs.js';

/** What a merge of a task became, and the tip of the branch that it was made of. */
export type MergeRefs = { readonly result: string; readonly source: string };

export function mergeRefs(taskId: string): Result<MergeRefs> {
  const result = taskRef('merged', taskId);
  if (!result.ok) return result;
  const source = taskRef('merged-from', taskId);
  return source.ok ? success({ result: result.value, source: source.value }) : source;
}

/** The tasks of which a merge is noted here, of this home or of another. */
export async function listMerges(git: Git, repository: string): Promise<Result<readonly string[]>> {
  const argv = ['for-each-ref', '--format=%(refname:lstrip=3)', 'refs/orange/merged/'];
  const listed = await git.text({ directory: repository, argv });
  return listed.ok ? success(listed.value.split('\n').filter((id) => id !== '')) : listed;
}

/**
 * Removes the refs of a merge, if something else leads to its result; a person may have taken the
 * base back, and then they are all there is. Must run in the repository's turn.
 */
export async function forgetMerge(
  git: Git,
  repository: string,
  taskId: string,
): Promise<Result<'forgotten' | 'kept'>> {
  const refs = mergeRefs(taskId);
  if (!refs.ok) return refs;
  const names = [refs.value.result, refs.value.source];
  const found = await resolveRefs(git, repository, names);
  if (!found.ok) return found;
  const [result = null] = found.value;
  if (result === null) return success('kept');
  const isPublic = await isInHistory(git, repository, result);
  if (!isPublic.ok) return isPublic;
  if (!isPublic.value) return success('kept');
  const lines = names.flatMap((name, at) => {
    const commit = found.value[at] ?? null;
    return commit === null ? [] : [`delete ${name} ${commit}`];
  });
  const removed = await git.perform({
    directory: repository,
    argv: ['update-ref', '--stdin'],
    input: ['start', ...lines, 'prepare', 'commit', ''].join('\n'),
  });
  return removed.ok ? success('forgotten') : removed;
}

/** Whether a branch, here or at the remote, or a tag leads to a commit. */
async function isInHistory(git: Git, repository: string, commit: string): Promise<Result<boolean>> {
  const places = ['refs/heads', 'refs/remotes', 'refs/tags'];
  const argv = ['for-each-ref', '--count=1', '--format=%(refname)', `--contains=${commit}`];
  const holders = await git.text({ directory: repository, argv: [...argv, ...places] });
  return holders.ok ? success(holders.value !== '') : holders;
}
