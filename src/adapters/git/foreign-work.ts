import { dirname, join } from 'node:path';
import type { Result } from '../../domain/result.js';
import { DONE } from '../../domain/result.js';
import { momentsOf } from '../disk-files.js';
import type { GitContext } from './git-context.js';
import { listWork, type PathChange } from './uncommitted-work.js';
import { readWorktree, unusable, type Worktree } from './worktree-state.js';

/**
 * Fails if a worktree that was handed out unseen held uncommitted work at that moment. What its
 * task has written since is told apart by the time of each change.
 */
export async function refuseForeignWork(
  context: GitContext,
  request: {
    readonly repository: string;
    readonly worktree: string;
    readonly takenAtMs: number;
  },
): Promise<Result<void>> {
  const { repository, worktree: path, takenAtMs } = request;
  const changes = await listWork(context, path);
  if (!changes.ok) return changes;
  if (changes.value.length === 0) return DONE;
  const worktree = await readWorktree(context, repository, path);
  if (!worktree.ok) return worktree;
  if (worktree.value === null) return unusable(path, 'it is gone');
  const found = worktree.value;
  const isForeign = changes.value.some((change) => !isLater(found, change, takenAtMs));
  return isForeign ? unusable(path, 'it held work that no task had left there') : DONE;
}

/**
 * Whether a change was made after a moment. Of one that left nothing behind its folder tells, if
 * nothing else has touched that since; the file itself is in the commit.
 */
function isLater(worktree: Worktree, change: PathChange, moment: number): boolean {
  if (change.isStaged) return isTouchedAfter(join(worktree.gitDirectory, 'index'), moment);
  const path = join(worktree.path, change.path);
  const moments = momentsOf(path);
  if (moments === null) return isTouchedAfter(nearestFolder(path), moment);
  return (change.isUntracked ? moments.bornMs : moments.changedMs) > moment;
}

function isTouchedAfter(path: string, moment: number): boolean {
  const moments = momentsOf(path);
  return moments !== null && moments.changedMs > moment;
}

function nearestFolder(path: string): string {
  const folder = dirname(path);
  return folder === path || momentsOf(folder) !== null ? folder : nearestFolder(folder);
}
