import { join } from 'node:path';
import type { Files } from '../ports.js';

/**
 * When a file of a worktree was last written, or null when none could be seen. Looks at a bounded
 * number of entries, the uppermost first; what tools keep for themselves is left out.
 */
export function newestChangeMs(files: Files, worktree: string): number | null {
  const waiting = [worktree];
  let left = MOST_ENTRIES;
  let newest: number | null = null;
  for (let directory = waiting.shift(); directory !== undefined; directory = waiting.shift()) {
    const names = files.list(directory);
    for (const name of names.ok ? names.value : []) {
      if (left === 0) return newest;
      if (NOT_THE_WORK.has(name)) continue;
      left -= 1;
      const path = join(directory, name);
      const state = files.stat(path);
      if (!state.ok) continue;
      if (state.value.kind === 'directory') waiting.push(path);
      if (state.value.kind === 'file') {
        newest = Math.max(newest ?? 0, state.value.stamp.mtimeMs);
      }
    }
  }
  return newest;
}

const MOST_ENTRIES = 5000;
const NOT_THE_WORK: ReadonlySet<string> = new Set(['.git', 'node_modules']);
