import type { Result } from '../../domain/result.js';
import { failed, success } from '../../domain/result.js';
import type { MergeRequest } from '../../domain/merge-request.js';
import type { CommitContent } from './commit-objects.js';
import { storeCommit } from './commit-objects.js';
import { explain } from './git-command.js';
import type { GitContext } from './git-context.js';

export type Tips = { readonly base: string; readonly branch: string };

/** Merges two commits as trees; conflicts are a failure that names the files. */
export async function mergeTrees(
  context: GitContext,
  request: MergeRequest,
  tips: Tips,
): Promise<Result<string>> {
  const call = {
    directory: request.repository,
    argv: [
      'merge-tree',
      '--write-tree',
      '-z',
      '--name-only',
      '--no-messages',
      tips.base,
      tips.branch,
    ],
  };
  const merged = await context.git.run(call);
  if (!merged.ok) return merged;
  const [tree = '', ...files] = merged.value.stdout.split('\0').filter((field) => field !== '');
  if (merged.value.exitCode === 0) return success(tree);
  if (merged.value.exitCode !== 1) return failed(explain(call, merged.value));
  const { branch, base } = request;
  return failed({ kind: 'merge-conflict', branch, base, files: [...new Set(files)] });
}

/** Commits as the person wants it: signed if their configuration says so, which never asks. */
export async function commitSigned(
  context: GitContext,
  request: MergeRequest,
  commit: CommitContent & { readonly env?: Readonly<Record<string, string>> },
): Promise<Result<string>> {
  const directory = request.repository;
  const wish = await context.git.run({
    directory,
    argv: ['config', '--type=bool', '--get', 'commit.gpgSign'],
  });
  if (!wish.ok) return wish;
  const isSigned = wish.value.stdout.trim() === 'true';
  const stored = await storeCommit(context.git, directory, {
    ...commit,
    flags: isSigned ? ['-S'] : [],
  });
  if (stored.ok || !isSigned) return stored;
  return failed({ kind: 'merge-refused', base: request.base, reason: 'signing-failed' });
}

/** The author and date of the newest of the selected commits, as git's environment. */
export async function readAuthor(
  context: GitContext,
  directory: string,
  selection: readonly string[],
): Promise<Result<Readonly<Record<string, string>>>> {
  const shown = await context.git.text({
    directory,
    argv: [
      'log',
      '-1',
      '--no-show-signature',
      '--no-use-mailmap',
      '--date=raw',
      '--format=%an%x00%ae%x00%ad',
      ...selection,
      '--',
    ],
  });
  if (!shown.ok) return shown;
  const [name = '', email = '', date = ''] = shown.value.split('\0');
  const isNamed = name.trim() !== '' && email.trim() !== '';
  return success({
    ...(date === '' ? {} : { GIT_AUTHOR_DATE: date }),
    ...(isNamed ? { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email } : {}),
  });
}
