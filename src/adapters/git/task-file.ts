import { join } from 'node:path';
import type { Result } from '../../domain/result.js';
import { DONE } from '../../domain/result.js';
import type { GitContext } from './git-context.js';
import { inRepositoryTurn } from './git-context.js';
import { TASK_FILE } from './worktree-state.js';

const EXCLUDE_LINE = `/${TASK_FILE}`;
const MAX_EXCLUDE_BYTES = 1024 * 1024;

/** Keeps the task's file out of what git sees in a worktree, even in a project that has one of its own. */
export async function hideTaskFile(
  context: GitContext,
  repository: string,
  worktree: string,
): Promise<Result<void>> {
  const excluded = await inRepositoryTurn(context, repository, () =>
    excludeTaskFile(context, worktree),
  );
  if (!excluded.ok) return excluded;
  const isTracked = await context.git.ask({
    directory: worktree,
    argv: ['ls-files', '--error-unmatch', '--', TASK_FILE],
  });
  if (!isTracked.ok || !isTracked.value) return isTracked.ok ? DONE : isTracked;
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

async function excludeTaskFile(context: GitContext, worktree: string): Promise<Result<void>> {
  const { git, files } = context;
  const path = await git.text({
    directory: worktree,
    argv: ['rev-parse', '--path-format=absolute', '--git-path', 'info/exclude'],
  });
  if (!path.ok) return path;
  const state = files.stat(path.value);
  if (!state.ok) return state;
  if (state.value.kind === 'absent') {
    const made = files.makeDirectory(path.value.slice(0, path.value.lastIndexOf('/')));
    return made.ok ? replace(context, path.value, `${EXCLUDE_LINE}\n`) : made;
  }
  const read = files.readText(path.value, MAX_EXCLUDE_BYTES);
  if (!read.ok) return read;
  const { text } = read.value;
  if (text.split(/\r?\n/).includes(EXCLUDE_LINE)) return DONE;
  const separator = text === '' || text.endsWith('\n') ? '' : '\n';
  return replace(context, path.value, `${text}${separator}${EXCLUDE_LINE}\n`);
}

function replace(context: GitContext, path: string, text: string): Result<void> {
  const replaced = context.files.replace(path, text);
  return replaced.ok ? DONE : replaced;
}
