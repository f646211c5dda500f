import { join, resolve } from 'node:path';
import type { Result } from '../../domain/result.js';
import { DONE } from '../../domain/result.js';
import type { Clock, Files, WorktreeLock } from '../../ports.js';
import type { GitContext } from './git-context.js';
import { inOrder } from './git-context.js';
import { awaitNoGit, clearStaleLocks, hasGitAtWork, LOCKS, STALE_MS } from './stale-locks.js';
import { readWorktree } from './worktree-state.js';

/** Locks in a linked worktree, by files and the process table alone; anything else has none. */
export function findLocks(
  { files, clock }: { readonly files: Files; readonly clock: Clock },
  worktree: string,
): readonly WorktreeLock[] {
  const pointer = files.readText(join(worktree, '.git'), 4096);
  const target = pointer.ok ? /^gitdir: (.+)$/m.exec(pointer.value.text)?.[1] : undefined;
  if (target === undefined) return [];
  const gitDirectory = resolve(worktree, target);
  const old = LOCKS.map((name) => join(gitDirectory, name)).filter((path) => {
    const state = files.stat(path);
    if (!state.ok || state.value.kind !== 'file') return false;
    return clock.nowMs() - state.value.stamp.mtimeMs >= STALE_MS;
  });
  const half = isHalfMade(files, gitDirectory) ? [join(gitDirectory, 'locked')] : [];
  const paths = [...old, ...half];
  if (paths.length === 0) return [];
  const isStale = hasGitAtWork(files, worktree) === false;
  return paths.map((path) => ({ path, isStale }));
}

/** Removes what a killed git left in the way; never while a git works in there. */
export async function clearLocks(
  context: GitContext,
  repository: string,
  path: string,
): Promise<Result<void>> {
  const found = await readWorktree(context, repository, path);
  if (!found.ok) return found;
  if (found.value === null) return DONE;
  const { gitDirectory } = found.value;
  const unlock = { directory: repository, argv: ['worktree', 'unlock', path] };
  const worktree = { path, gitDirectory };
  return inOrder(
    () => clearStaleLocks(context, worktree),
    async () => {
      if (!isHalfMade(context.files, gitDirectory)) return DONE;
      return (await awaitNoGit(context, [path, repository])) ? context.git.perform(unlock) : DONE;
    },
  );
}

/** Git locks a worktree while it makes it. */
function isHalfMade(files: Files, gitDirectory: string): boolean {
  const lock = files.readText(join(gitDirectory, 'locked'), 4096);
  return lock.ok && lock.value.text.trim() === 'initializing';
}
