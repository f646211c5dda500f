import { join } from 'node:path';
import { describeFailure } from '../../domain/describe-failure.js';
import { killingSignal } from '../../domain/killing-signal.js';
import type { Result } from '../../domain/result.js';
import { success } from '../../domain/result.js';
import type { GitContext } from './git-context.js';
import { findCommonDirectory } from './git-context.js';

export type FetchRemote = (context: GitContext, repository: string) => Promise<Result<void>>;

/**
 * Brings origin's branches up to date if there is an origin, within a short time. Not reaching it
 * is a note in the log. Callers that come while a fetch of the same repository runs share it.
 */
export function createFetchRemote(): FetchRemote {
  const running = new Map<string, Promise<Result<void>>>();
  const fetchedAt = new Map<string, number>();
  return async (context, repository) => {
    const common = await findCommonDirectory(context, repository);
    if (!common.ok) return common;
    const shared = running.get(common.value);
    if (shared !== undefined) return shared;
    const age = context.clock.monotonicMs() - (fetchedAt.get(common.value) ?? -Infinity);
    if (age < context.fetchFreshMs || hasNoRemote(context, common.value)) return success(undefined);
    const mine = fetchOrigin(context, repository);
    running.set(common.value, mine);
    try {
      const fetched = await mine;
      if (fetched.ok) fetchedAt.set(common.value, context.clock.monotonicMs());
      return fetched;
    } finally {
      running.delete(common.value);
    }
  };
}

/** Whether the repository's configuration leaves no doubt that there is nothing to fetch from. */
function hasNoRemote({ files }: GitContext, common: string): boolean {
  const read = files.readText(join(common, 'config'), MAX_CONFIG_BYTES, 'lossy');
  return read.ok && !/remote|include/i.test(read.value.text);
}

const MAX_CONFIG_BYTES = 1024 * 1024;

async function fetchOrigin(context: GitContext, repository: string): Promise<Result<void>> {
  const settings = await context.git.run({
    directory: repository,
    argv: ['config', '-z', '--get-regexp', String.raw`^remote\.origin\.(url|fetch)$`],
  });
  if (!settings.ok) return settings;
  const entries = settings.value.stdout.split('\0').filter((entry) => entry !== '');
  if (entries.length === 0) return success(undefined);
  const refspecs = chooseRefspecs(entries);
  const fetched = await fetchOnce(context, repository, refspecs);
  // Somebody else ended git; nothing is known against the remote.
  if (wasKilled(fetched)) await fetchOnce(context, repository, refspecs);
  return success(undefined);
}

async function fetchOnce(
  context: GitContext,
  repository: string,
  refspecs: readonly string[],
): Promise<Result<void>> {
  const fetched = await context.git.perform({
    directory: repository,
    argv: [
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--upload-pack=git-upload-pack',
      ...refspecs,
    ],
    timeoutMs: context.fetchTimeoutMs,
  });
  if (!fetched.ok) {
    const { message } = describeFailure(fetched.failure);
    context.log.write({ event: 'git.fetch-failed', repository, message });
  }
  return fetched;
}

function wasKilled(fetched: Result<void>): boolean {
  if (fetched.ok || fetched.failure.kind !== 'command-failed') return false;
  return killingSignal(fetched.failure.exitCode) !== null;
}

/** The configured refspecs, unless there are none (bare clone) or they write to local branches (mirror). */
function chooseRefspecs(entries: readonly string[]): readonly string[] {
  const configured = entries.filter((entry) => entry.startsWith('remote.origin.fetch\n'));
  const areHarmless = configured.every((entry) => /:refs\/(remotes|tags)\//.test(entry));
  if (configured.length > 0 && areHarmless) return ['--', 'origin'];
  return ['--refmap=', '--', 'origin', '+refs/heads/*:refs/remotes/origin/*'];
}
