import { DONE, type Result } from '../domain/result.js';
import type { Files } from '../ports.js';

/** Makes the worktree's TASK.md a link to the task's own file, unless it already is. */
export function linkTaskFile(files: Files, link: string, target: string): Result<void> {
  const state = files.stat(link);
  if (state.ok && state.value.kind === 'link' && state.value.target === target) return DONE;
  return files.link(link, target);
}
