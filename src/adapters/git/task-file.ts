import { join } from 'node:path';
import type { Result } from '../../domain/result.js';
import { DONE } from '../../domain/result.js';
import { excludePaths } from './exclude-paths.js';
import type { GitContext } from './git-context.js';
import { readIndexFacts } from './index-facts.js';
import { TASK_FILE } from './worktree-state.js';

/** Keeps the task's file out of what git sees in a worktree, even in a project that has one of its own. */
export async function hideTaskFile(
  context: GitContext,
  repository: string,
  worktree: string,
): Promise<Result<void>> {
  const excluded = await excludePaths(context, repository, [TASK_FILE]);
  if (!excluded.ok) return excluded;
  const index = await readIndexFacts(context, worktree);
  if (!index.ok || !index.value.hasTaskFile) return index.ok ? DONE : index;
  return context.git.perform({
    directory: worktree,
    argv: ['update-index', '--skip-worktree', '--', TASK_FILE],
  });
}

/** Takes the previous task's file out of a worktree; a link is never followed. */
export function removeTaskFile(context: GitContext, worktree: string): Result<void> {
  const path = join(worktree, TASK_FILE);
  const state = context.files.stat(path);
  if (!state.ok) return state;
  const isOurs = state.value.kind === 'link' || state.value.kind === 'file';
  return isOurs ? context.files.remove(path) : DONE;
}
