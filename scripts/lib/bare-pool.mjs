import { createDiskFiles } from '../../src/adapters/disk-files.ts';
import { createRepositories } from '../../src/adapters/git/repositories.ts';

/** Git as the daemon uses it, without a daemon. */
export function openRepositories(env) {
  return createRepositories({
    env,
    files: createDiskFiles(),
    clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now() },
  });
}
