import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { violation } from './violation.mjs';

const OF_OTHERS = 0o077;
/** Where worktrees are: of the pool, and of work that somebody had brought back. */
const OF_WORKTREES = ['workspaces', 'restored'];

/**
 * G12: nobody but the user may read, write or enter anything that is orange's own, under whatever mask
 * it was made. What is in a worktree has the modes that git and the agents give it.
 */
export function checkModes({ home }) {
  const places = OF_WORKTREES.map((name) => join(home, name));
  return [home, ...pathsBelow(home, places)].flatMap((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || stats.isSymbolicLink() || (stats.mode & OF_OTHERS) === 0) return [];
    const mode = (stats.mode & 0o7777).toString(8);
    return [violation('G12', path, `is open to others (mode ${mode})`)];
  });
}

/** All that is in a folder but the worktrees; of where these are, orange's own files. */
function pathsBelow(folder, places) {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return [path];
    if (places.includes(folder)) return [];
    return [path, ...pathsBelow(path, places)];
  });
}

function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
