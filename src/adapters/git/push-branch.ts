import { failpoint } from '../../domain/failpoint.js';
import type { Result } from '../../domain/result.js';
import type { GitContext } from './git-context.js';
import { branchRef } from './refs.js';

const PUSH_TIMEOUT_MS = 120_000;

/** Pushes one branch, by its full name, to origin. */
export async function pushBranch(
  context: Pick<GitContext, 'git'>,
  repository: string,
  branch: string,
): Promise<Result<void>> {
  const ref = branchRef(branch);
  failpoint('push.begun');
  const pushed = await context.git.perform({
    directory: repository,
    argv: [
      'push',
      '--quiet',
      '--no-verify',
      '--no-signed',
      '--no-follow-tags',
      '--receive-pack=git-receive-pack',
      '--',
      'origin',
      `${ref}:${ref}`,
    ],
    timeoutMs: PUSH_TIMEOUT_MS,
  });
  failpoint('push.done');
  return pushed;
}
