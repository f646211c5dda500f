import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Result } from '../../domain/result.js';
import { DONE } from '../../domain/result.js';
import type { Files } from '../../ports.js';
import type { GitContext } from './git-context.js';
import { findCommonDirectory } from './git-context.js';
import { branchRef } from './refs.js';
import type { Worktree } from './worktree-state.js';
import { unusable } from './worktree-state.js';

/**
 * Waits for locks in a worktree to go, and removes one that a killed git left behind: old, and
 * with no git at work in there.
 */
export function clearStaleLocks(
  context: GitContext,
  { path, gitDirectory }: Pick<Worktree, 'path' | 'gitDirectory'>,
): Promise<Result<void>> {
  const locks = LOCKS.map((name) => join(gitDirectory, name));
  return awaitLocks(context, { worktree: path, places: [path], locks });
}

/** The same for a branch that a killed start was about to make, which anybody's git may be making. */
export async function clearStaleBranchLock(
  context: GitContext,
  {
    repository,
    worktree,
    branch,
  }: { readonly repository: string; readonly worktree: string; readonly branch: string },
): Promise<Result<void>> {
  const common = await findCommonDirectory(context, repository);
  if (!common.ok) return common;
  const locks = [join(common.value, `${branchRef(branch)}.lock`)];
  const places = [worktree, repository, common.value];
  return awaitLocks(context, { worktree, places, locks });
}

type LockWait = {
  readonly worktree: string;
  /** Where a git would be at work that has one of the locks. */
  readonly places: readonly string[];
  readonly locks: readonly string[];
};

async function awaitLocks(
  context: GitContext,
  { worktree, places, locks }: LockWait,
): Promise<Result<void>> {
  const deadline = context.clock.monotonicMs() + WAIT_MS;
  for (;;) {
    const there = locks.filter((path) => ageOf(context, path) !== null);
    const held = there.filter((path) => !removeIfStale(context, places, path));
    if (held.length === 0) return DONE;
    if (context.clock.monotonicMs() > deadline) {
      return unusable(worktree, `another git process holds ${basename(held[0] ?? '')}`);
    }
    await delay(100);
  }
}

/** Waits until no git works in any of some directories; whether it is known that none does. */
export async function awaitNoGit(
  { files, clock }: Pick<GitContext, 'files' | 'clock'>,
  places: readonly string[],
): Promise<boolean> {
  const deadline = clock.monotonicMs() + WAIT_MS;
  for (;;) {
    const seen = places.map((place) => hasGitAtWork(files, place));
    if (seen.includes(null)) return false;
    if (!seen.includes(true)) return true;
    if (clock.monotonicMs() > deadline) return false;
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

function removeIfStale(context: GitContext, places: readonly string[], path: string): boolean {
  const age = ageOf(context, path);
  if (age === null) return true;
  const owned = places.map((place) => hasGitAtWork(context.files, place));
  const staleMs = owned.includes(null) ? STALE_UNSEEN_MS : STALE_MS;
  if (owned.includes(true) || age < staleMs) return false;
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
