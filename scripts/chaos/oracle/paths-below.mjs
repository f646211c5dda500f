import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Every file, link and folder below a folder, by its whole path. What goes away meanwhile is left out:
 * orange may be throwing a worktree away. `isEntered` says of which folders the inside is wanted.
 */
export function pathsBelow(folder, isEntered = () => true) {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() && isEntered(path) ? [path, ...pathsBelow(path, isEntered)] : [path];
  });
}

function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  }
}
