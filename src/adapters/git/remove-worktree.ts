import { join } from 'node:path';
import type { Result } from '../../domain/result.js';
import { DONE } from '../../domain/result.js';
import { dropRecord, forgetVanished } from './forget-vanished.js';
import type { GitContext } from './git-context.js';
import { isKeptByRef } from './refs.js';
import { verifyNoWork } from './release-worktree.js';
import { standInTask } from './retire-record.js';
import { salvageRecord } from './salvage-record.js';
import { readWorktree, unusable } from './worktree-state.js';

/** Drops a worktree that is idle and holds no commit that only it leads to; refuses any other. */
export async function removeWorktree(
  context: GitContext,
  repository: string,
  path: string,
): Promise<Result<void>> {
  const taskId = standInTask(path);
  const worktree = await readWorktree(context, repository, path);
  if (!worktree.ok) return worktree;
  if (worktree.value === null) {
    const forgotten = await forgetVanished(context, { repository, path, taskId });
    return forgotten.ok ? DONE : forgotten;
  }
  const idle = await verifyNoWork(context, worktree.value);
  if (!idle.ok) return idle;
  const { head } = worktree.value;
  const isKept = head === null ? DONE : await isKeptByRef(context.git, repository, head);
  if (!isKept.ok) return isKept;
  if (isKept.value === false) return unusable(path, 'it has commits that are on no branch');
  const saved = await salvageRecord(context, worktree.value.gitDirectory, taskId);
  if (!saved.ok) return saved;
  const modules = context.files.stat(join(worktree.value.gitDirectory, 'modules'));
  if (!modules.ok) return modules;
  // Git removes a worktree that has had submodules only by force; that it is clean has been seen above.
  const force = modules.value.kind === 'absent' ? [] : ['--force'];
  return dropRecord(context, repository, [...force, path]);
}
