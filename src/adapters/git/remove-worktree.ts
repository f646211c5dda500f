import { join } from 'node:path';
import type { Result } from '../../domain/result.js';
import { DONE, success } from '../../domain/result.js';
import { CHECKOUT_TIMEOUT_MS } from './git-command.js';
import type { GitContext } from './git-context.js';
import { inRepositoryTurn } from './git-context.js';
import { isKeptByRef } from './refs.js';
import { verifyNoWork } from './release-worktree.js';
import { retireRecord, standInTask } from './retire-record.js';
import { salvageRecord } from './salvage-record.js';
import { findRecord } from './worktree-records.js';
import { isVacant, readWorktree, unusable } from './worktree-state.js';

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
  return remove(context, repository, [...force, path]);
}

/**
 * Lets git forget a worktree whose directory is gone, after keeping what only its record led to; one
 * that was moved, or that somebody locked, is refused.
 */
export async function forgetVanished(
  context: GitContext,
  request: { readonly repository: string; readonly path: string; readonly taskId: string },
): Promise<Result<string | null>> {
  const { repository, path, taskId } = request;
  if (!isVacant(context.files, path)) return unusable(path, 'it is there again');
  const record = await findRecord(context, repository, path);
  if (!record.ok || record.value === null) return record.ok ? success(null) : record;
  const saved = await retireRecord(context, { ...record.value, repository, taskId });
  if (!saved.ok) return saved;
  const removed = await remove(context, repository, ['--force', '--force', record.value.path]);
  return removed.ok ? saved : removed;
}

function remove(
  context: GitContext,
  repository: string,
  operands: readonly string[],
): Promise<Result<void>> {
  return inRepositoryTurn(context, repository, () =>
    context.git.perform({
      directory: repository,
      argv: ['worktree', 'remove', ...operands],
      timeoutMs: CHECKOUT_TIMEOUT_MS,
    }),
  );
}
