import type { Result } from '../../domain/result.js';
import type { GitContext } from './git-context.js';
import { branchRef } from './refs.js';

const PUSH_TIMEOUT_MS = 120_000;

/** Pushes one branch, by its full name, to origin. */
export function pushBranch(
  context: Pick<GitContext, 'git'>,
  repository: string,
  branch: string,
): Promise<Result<void>> {
  const ref = branchRef(branch);
  return context.git.perform({
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
}
