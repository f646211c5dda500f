import type { Result } from '../../domain/result.js';
import { success } from '../../domain/result.js';
import type { GitContext } from './git-context.js';
import { readCommonDirectory } from './git-context.js';

export type FetchRemote = (context: GitContext, repository: string) => Promise<Result<void>>;

/**
 * Brings origin's branches up to date if there is an origin, within a short time. Not reaching it
 * is a note in the log. Callers that come while a fetch of the same repository runs share it.
 */
export function createFetchRemote(): FetchRemote {
  const running = new Map<string, Promise<Result<void>>>();
  return async (context, repository) => {
    const common = await readCommonDirectory(context.git, repository);
    if (!common.ok) return common;
    const shared = running.get(common.value);
    if (shared !== undefined) return shared;
    const mine = fetchOrigin(context, repository);
    running.set(common.value, mine);
    try {
      return await mine;
    } finally {
      running.delete(common.value);
    }
  };
}

async function fetchOrigin(context: GitContext, repository: string): Promise<Result<void>> {
  const remotes = await context.git.text({ directory: repository, argv: ['remote'] });
  if (!remotes.ok) return remotes;
  if (!remotes.value.split('\n').includes('origin')) return success(undefined);
  const refspecs = await chooseRefspecs(context, repository);
  if (!refspecs.ok) return refspecs;
  const fetched = await context.git.perform({
    directory: repository,
    argv: [
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--upload-pack=git-upload-pack',
      ...refspecs.value,
    ],
    timeoutMs: context.fetchTimeoutMs,
  });
  if (!fetched.ok) {
    const { kind } = fetched.failure;
    const output = kind === 'command-failed' ? fetched.failure.output.slice(-300) : kind;
    context.log.write({ event: 'git.fetch-failed', repository, output });
  }
  return success(undefined);
}

/** The configured refspecs, unless there are none (bare clone) or they write to local branches (mirror). */
async function chooseRefspecs(
  context: GitContext,
  repository: string,
): Promise<Result<readonly string[]>> {
  const configured = await context.git.run({
    directory: repository,
    argv: ['config', '--get-all', 'remote.origin.fetch'],
  });
  if (!configured.ok) return configured;
  const lines = configured.value.stdout.split('\n').filter((line) => line !== '');
  const areHarmless = lines.every((line) => /:refs\/(remotes|tags)\//.test(line));
  if (lines.length > 0 && areHarmless) return success(['--', 'origin']);
  return success(['--refmap=', '--', 'origin', '+refs/heads/*:refs/remotes/origin/*']);
}
