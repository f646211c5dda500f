import type { Result } from '../../domain/result.js';
import { success } from '../../domain/result.js';
import { CHECKOUT_TIMEOUT_MS } from './git-command.js';
import type { GitContext } from './git-context.js';
import { inRepositoryTurn } from './git-context.js';
import { retireRecord } from './retire-record.js';
import { findRecord } from './worktree-records.js';
import { isVacant, unusable } from './worktree-state.js';

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
  const removed = await dropRecord(context, repository, ['--force', '--force', record.value.path]);
  return removed.ok ? saved : removed;
}

/** `git worktree remove`: the record, and the directory where it is there. */
export function dropRecord(
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
