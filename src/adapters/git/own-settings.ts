import { dirname, join, resolve } from 'node:path';
import type { Result } from '../../domain/result.js';
import { DONE } from '../../domain/result.js';
import type { Files } from '../../ports.js';
import type { GitContext } from './git-context.js';
import { inOrder } from './git-context.js';
import { refuseOccupied } from './refuse-occupied.js';
import { NO_SETTINGS, readMemory, writeMemory, type OwnSettings } from './worktree-memory.js';
import type { Worktree } from './worktree-state.js';

const CONFIG = 'config.worktree';
const SPARSE = 'info/sparse-checkout';
const MAX_BYTES = 1024 * 1024;

type Place = Pick<Worktree, 'path' | 'gitDirectory'>;

/** What git reads in one worktree only, as it is now. */
export function readOwnSettings(files: Files, gitDirectory: string): OwnSettings {
  return {
    config: read(files, join(gitDirectory, CONFIG)),
    sparse: read(files, join(gitDirectory, SPARSE)),
  };
}

/** Remembers what a worktree that nobody has had yet got from the checkout it was made from. */
export function rememberOwnSettings(files: Files, gitDirectory: string): Result<unknown> {
  const memory = readMemory(files, gitDirectory);
  return writeMemory(files, gitDirectory, { ...memory, own: readOwnSettings(files, gitDirectory) });
}

/** Whether git is steered in a worktree by anything that it was not made or set up with. */
export function hasForeignSettings(files: Files, gitDirectory: string): boolean {
  const found = readOwnSettings(files, gitDirectory);
  return !isSame(found, findWanted(files, gitDirectory, found));
}

/**
 * Takes back what somebody set for a worktree alone, which would steer whoever comes next and even
 * decides where git looks for its files; fails while somebody works in it.
 */
export async function restoreOwnSettings(
  context: GitContext,
  { path, gitDirectory }: Place,
): Promise<Result<void>> {
  const { files, log } = context;
  const found = readOwnSettings(files, gitDirectory);
  const wanted = findWanted(files, gitDirectory, found);
  if (isSame(found, wanted)) return DONE;
  const isAlone = await refuseOccupied(context, path);
  if (!isAlone.ok) return isAlone;
  log.write({ event: 'git.settings-restored', worktree: path });
  return inOrder(
    () => put(files, join(gitDirectory, SPARSE), wanted.sparse),
    () => put(files, join(gitDirectory, CONFIG), wanted.config),
  );
}

/**
 * What was there when the worktree was made, or set up. Where that is not known, it is nothing,
 * unless the main checkout has settings that git may have brought along.
 */
function findWanted(files: Files, gitDirectory: string, found: OwnSettings): OwnSettings {
  const known = readMemory(files, gitDirectory).own;
  if (known !== null) return known;
  const shared = read(files, join(gitDirectory, 'commondir'));
  if (shared === null) return found;
  const ofMain = readOwnSettings(files, resolve(gitDirectory, shared.trim()));
  return isSame(ofMain, NO_SETTINGS) ? NO_SETTINGS : found;
}

function isSame(one: OwnSettings, other: OwnSettings): boolean {
  return one.config === other.config && one.sparse === other.sparse;
}

function read(files: Files, path: string): string | null {
  const state = files.stat(path);
  if (state.ok && state.value.kind === 'absent') return null;
  const text = files.readText(path, MAX_BYTES, 'lossy');
  return text.ok ? text.value.text : '';
}

function put(files: Files, path: string, text: string | null): Result<unknown> {
  if (text === null) return files.remove(path);
  const made = files.makeDirectory(dirname(path));
  return made.ok ? files.replace(path, text) : made;
}
