import { basename } from 'node:path';
import type { Result } from '../../domain/result.js';
import { DONE } from '../../domain/result.js';
import type { GitContext } from './git-context.js';
import { salvageRecord } from './salvage-record.js';
import { findMoved, readLock } from './worktree-records.js';
import { unusable } from './worktree-state.js';

/**
 * Keeps what only git's record of a worktree leads to, so that git may forget it. Refuses one whose
 * directory lies elsewhere now, and one that somebody has locked.
 */
export async function retireRecord(
  context: GitContext,
  record: {
    readonly repository: string;
    readonly path: string;
    readonly gitDirectory: string;
    readonly taskId: string;
  },
): Promise<Result<string | null>> {
  const isOurs = refuseLocked(context, record);
  if (!isOurs.ok) return isOurs;
  const movedTo = findMoved(context.files, record);
  if (movedTo !== null) return unusable(record.path, `it was moved to ${movedTo}`);
  return salvageRecord(context, record.gitDirectory, record.taskId);
}

/** Fails for a worktree that somebody asked git to keep. */
export function refuseLocked(
  context: GitContext,
  { path, gitDirectory }: { readonly path: string; readonly gitDirectory: string },
): Result<void> {
  const reason = readLock(context.files, gitDirectory);
  return reason === null ? DONE : unusable(path, `it is locked (${reason})`);
}

/** What stands for the task where nobody knows it: the worktree's own name. */
export function standInTask(path: string): string {
  const name = basename(path).replaceAll(/[^0-9A-Za-z]/g, '');
  return name === '' ? 'worktree' : name.slice(0, 64);
}
