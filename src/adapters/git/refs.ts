import type { Result } from '../../domain/result.js';
import { failed, success } from '../../domain/result.js';
import { isTaskId } from '../../domain/task-id.js';
import type { Git } from './git-command.js';

export const NO_OBJECT = '0'.repeat(40);

export function branchRef(branch: string): string {
  return `refs/heads/${branch}`;
}

export function remoteBranchRef(branch: string): string {
  return `refs/remotes/origin/${branch}`;
}

/** The commit a full ref or object id stands for, or null when there is none. */
export async function resolveCommit(
  git: Git,
  directory: string,
  name: string,
): Promise<Result<string | null>> {
  const outcome = await git.run({
    directory,
    argv: ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`],
  });
  if (!outcome.ok) return outcome;
  return success(outcome.value.exitCode === 0 ? outcome.value.stdout.trim() : null);
}

/** What each of some full refs points to, null for one that does not exist. */
export async function resolveRefs(
  git: Git,
  directory: string,
  refs: readonly string[],
): Promise<Result<readonly (string | null)[]>> {
  const listed = await git.text({
    directory,
    argv: ['for-each-ref', '--format=%(objectname) %(refname)', ...refs],
  });
  if (!listed.ok) return listed;
  const objects = new Map(
    listed.value.split('\n').map((line): [string, string] => {
      const space = line.indexOf(' ');
      return [line.slice(space + 1), line.slice(0, space)];
    }),
  );
  return success(refs.map((ref) => objects.get(ref) ?? null));
}

export function isAncestor(
  git: Git,
  directory: string,
  range: { readonly older: string; readonly newer: string },
): Promise<Result<boolean>> {
  return git.ask({
    directory,
    argv: ['merge-base', '--is-ancestor', '--end-of-options', range.older, range.newer],
  });
}

/** Whether a branch, a tag or one of orange's own refs, the named one aside, leads to a commit. */
export async function isKeptByRef(
  git: Git,
  directory: string,
  commit: string,
  asideFrom?: string,
): Promise<Result<boolean>> {
  const refs = await git.text({
    directory,
    argv: [
      'for-each-ref',
      '--format=%(refname)',
      `--contains=${commit}`,
      'refs/heads',
      'refs/remotes',
      'refs/tags',
      'refs/orange',
    ],
  });
  if (!refs.ok) return refs;
  // What was dropped goes one day, and what only it leads to with it.
  const keeps = (ref: string): boolean =>
    ref !== '' && ref !== asideFrom && !ref.startsWith('refs/orange/dropped/');
  return success(refs.value.split('\n').some(keeps));
}

/** Whether a repository lacks the beginning of its history; one that cannot say counts as whole. */
export async function isShallowRepository(git: Git, directory: string): Promise<Result<boolean>> {
  const argv = ['rev-parse', '--is-shallow-repository'];
  const outcome = await git.run({ directory, argv });
  return outcome.ok ? success(outcome.value.stdout.trim() === 'true') : outcome;
}

export type RefChange = {
  readonly ref: string;
  readonly to: string;
  /** The value it must have now; NO_OBJECT when it must not exist. */
  readonly from: string;
};

export function changeRef(git: Git, directory: string, change: RefChange): Promise<Result<void>> {
  const { ref, to, from } = change;
  return git.perform({
    directory,
    argv: ['update-ref', '--create-reflog', '-m', 'orange', ref, to, from],
  });
}

/** The task's place under one of orange's own ref folders. */
export function taskRef(folder: string, taskId: string): Result<string> {
  if (isTaskId(taskId)) return success(`refs/orange/${folder}/${taskId}`);
  return failed({
    kind: 'invalid-argument',
    argument: 'task id',
    value: taskId,
    rule: 'letters and digits only',
  });
}

/** The branch behind a full ref, or null for any other ref. */
export function shortBranch(ref: string): string | null {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null;
}
