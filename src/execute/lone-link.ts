import { join } from 'node:path';
import { DONE, type Result } from '../domain/result.js';
import type { Files } from '../ports.js';

/**
 * Whether a folder holds nothing at all but the link to a task's own file: what is left of a worktree
 * that was deleted while its link was put back.
 */
export function isLoneLink(files: Files, worktree: string, target: string): boolean {
  const pointer = files.stat(join(worktree, '.git'));
  if (!pointer.ok || pointer.value.kind !== 'absent') return false;
  const link = files.stat(join(worktree, 'TASK.md'));
  if (!link.ok || link.value.kind !== 'link' || link.value.target !== target) return false;
  const entries = files.list(worktree);
  return entries.ok && entries.value.join('/') === 'TASK.md';
}

/** Removes such a folder, with its link; any other stays as it is. */
export function dropLoneLink(files: Files, worktree: string, target: string): Result<void> {
  if (!isLoneLink(files, worktree, target)) return DONE;
  const removed = files.remove(join(worktree, 'TASK.md'));
  return removed.ok ? files.removeEmpty(worktree) : removed;
}
