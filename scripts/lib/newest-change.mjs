import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** When anything at or under the paths last changed, folders included (a removed file changes its folder). */
export function newestChange(paths) {
  return Math.max(0, ...paths.map(newestUnder));
}

/** When a file last changed, or null when there is none. */
export function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

function newestUnder(path) {
  const state = statSync(path, { throwIfNoEntry: false });
  if (state === undefined) return 0;
  if (!state.isDirectory()) return state.mtimeMs;
  return Math.max(state.mtimeMs, ...readdirSync(path).map((name) => newestUnder(join(path, name))));
}
