import type { Result } from '../../domain/result.js';
import { DONE } from '../../domain/result.js';
import { CHECKOUT_TIMEOUT_MS } from './git-command.js';
import type { GitContext } from './git-context.js';
import { inRepositoryTurn } from './git-context.js';
import { isKeptByRef } from './refs.js';
import { verifyIdle } from './release-worktree.js';
import { listSubmodules } from './uncommitted-work.js';
import { findListed } from './worktree-list.js';
import { readWorktree, unusable } from './worktree-state.js';

/** Drops a worktree that is idle and holds no commit that only it leads to; refuses any other. */
export async function removeWorktree(
  context: GitContext,
  repository: string,
  path: string,
): Promise<Result<void>> {
  const worktree = await readWorktree(context, repository, path);
  if (!worktree.ok) return worktree;
  if (worktree.value === null) return forgetWorktree(context, repository, path);
  const idle = await verifyIdle(context, worktree.value);
  if (!idle.ok) return idle;
  const { head } = worktree.value;
  const isKept = head === null ? DONE : await isKeptByRef(context.git, repository, head);
  if (!isKept.ok) return isKept;
  if (isKept.value === false) return unusable(path, 'it has commits that are on no branch');
  const submodules = await listSubmodules(context, path);
  if (!submodules.ok) return submodules;
  // Git removes a worktree with submodules only by force; that it is clean has been seen above.
  const force = submodules.value.length > 0 ? ['--force'] : [];
  return remove(context, repository, [...force, path]);
}

async function forgetWorktree(
  context: GitContext,
  repository: string,
  path: string,
): Promise<Result<void>> {
  const entry = await findListed(context, repository, path);
  if (!entry.ok) return entry;
  return entry.value === null ? DONE : remove(context, repository, [entry.value.path]);
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
