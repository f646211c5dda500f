import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathsBelow } from './paths-below.mjs';
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
  const mayBeWorktree = (path) => places.includes(dirname(path));
  return [home, ...pathsBelow(home, (path) => !mayBeWorktree(path))].flatMap((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || (stats.isDirectory() && mayBeWorktree(path))) return [];
    if (stats.isSymbolicLink() || (stats.mode & OF_OTHERS) === 0) return [];
    const mode = (stats.mode & 0o7777).toString(8);
    return [violation('G12', path, `is open to others (mode ${mode})`)];
  });
}
