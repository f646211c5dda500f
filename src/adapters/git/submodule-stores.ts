import { join } from 'node:path';
import type { Result } from '../../domain/result.js';
import { success } from '../../domain/result.js';
import type { Files } from '../../ports.js';
import type { GitContext } from './git-context.js';

const MAX_DEPTH = 8;

/**
 * The repositories of a worktree's submodules, which go with git's record of it, as far as they have
 * commits that they never got from elsewhere.
 */
export async function findLoneModules(
  context: GitContext,
  gitDirectory: string,
): Promise<Result<readonly string[]>> {
  const { git } = context;
  const lone: string[] = [];
  for (const directory of listStores(context.files, join(gitDirectory, 'modules'), MAX_DEPTH)) {
    // Git would go where the submodule was checked out, which may be gone; there it needs no telling.
    const unset = ['config', '--file', join(directory, 'config'), '--unset-all', 'core.worktree'];
    const freed = await git.run({ directory: gitDirectory, argv: unset });
    if (!freed.ok) return freed;
    const argv = ['rev-list', '--max-count=1', 'HEAD', '--branches', '--glob=refs/stash'];
    const found = await git.run({ directory, argv: [...argv, '--not', '--remotes'] });
    if (!found.ok) return found;
    // One without commits says so by failing.
    if (found.value.exitCode === 0 && found.value.stdout !== '') lone.push(directory);
  }
  return success(lone);
}

function listStores(files: Files, directory: string, depth: number): readonly string[] {
  const listed = files.list(directory);
  if (!listed.ok || depth === 0) return [];
  if (listed.value.includes('HEAD') && listed.value.includes('objects')) {
    return [directory, ...listStores(files, join(directory, 'modules'), depth - 1)];
  }
  return listed.value.flatMap((name) => {
    const state = files.stat(join(directory, name));
    const isFolder = state.ok && state.value.kind === 'directory';
    return isFolder ? listStores(files, join(directory, name), depth - 1) : [];
  });
}
