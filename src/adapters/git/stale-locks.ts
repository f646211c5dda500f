import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Result } from '../../domain/result.js';
import { DONE } from '../../domain/result.js';
import type { Files } from '../../ports.js';
import type { GitContext } from './git-context.js';
import type { Worktree } from './worktree-state.js';
import { unusable } from './worktree-state.js';

/**
 * Waits for locks in a worktree to go, and removes one that a killed git left behind: old, and
 * with no git at work in there.
 */
export async function clearStaleLocks(
  context: GitContext,
  worktree: Pick<Worktree, 'path' | 'gitDirectory'>,
): Promise<Result<void>> {
  const deadline = context.clock.monotonicMs() + WAIT_MS;
  for (;;) {
    const locks = LOCKS.map((name) => join(worktree.gitDirectory, name)).filter(
      (path) => ageOf(context, path) !== null,
    );
    const held = locks.filter((path) => !removeIfStale(context, worktree, path));
    if (held.length === 0) return DONE;
    if (context.clock.monotonicMs() > deadline) {
      return unusable(worktree.path, `another git process holds ${basename(held[0] ?? '')}`);
    }
    await delay(100);
  }
}

/** Whether a git process works inside a directory, or null when this machine cannot tell. */
export function hasGitAtWork(files: Files, directory: string): boolean | null {
  const processes = files.list('/proc');
  if (!processes.ok) return null;
  return processes.value
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      const cwd = linkTarget(files, `/proc/${pid}/cwd`);
      if (cwd !== directory && !cwd.startsWith(`${directory}/`)) return false;
      return basename(linkTarget(files, `/proc/${pid}/exe`)).startsWith('git');
    });
}

/** Files that git makes while it changes something of one worktree. */
export const LOCKS = ['index.lock', 'HEAD.lock'];
const WAIT_MS = 6000;
export const STALE_MS = 3000;
// Without a process table a lock has to be older than any reasonable command.
const STALE_UNSEEN_MS = 15 * 60_000;

function removeIfStale(
  context: GitContext,
  worktree: Pick<Worktree, 'path' | 'gitDirectory'>,
  path: string,
): boolean {
  const age = ageOf(context, path);
  if (age === null) return true;
  const isOwned = hasGitAtWork(context.files, worktree.path);
  if (isOwned === true || age < (isOwned === null ? STALE_UNSEEN_MS : STALE_MS)) return false;
  context.log.write({ event: 'git.stale-lock-removed', path, age_ms: Math.round(age) });
  return context.files.remove(path).ok;
}

function ageOf(context: GitContext, path: string): number | null {
  const state = context.files.stat(path);
  if (!state.ok || state.value.kind !== 'file') return null;
  return context.clock.nowMs() - state.value.stamp.mtimeMs;
}

function linkTarget(files: Files, path: string): string {
  const state = files.stat(path);
  return state.ok && state.value.kind === 'link' ? state.value.target : '';
}
