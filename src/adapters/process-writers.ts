import { lstatSync, readdirSync, statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Writers } from '../ports.js';
import { errnoOf } from './disk-steps.js';
import { attempt, listPids } from './process-census.js';

/** For how long nothing else in this process may wait for a look through the table. */
const TURN_MS = 2;
const OWNER_WRITES = 0o200n;

/** Asks the kernel's table who has files open; null where the kernel shows none. */
export function createProcessWriters(root = '/proc'): Writers | null {
  if (attempt(() => readdirSync(`${root}/self/fd`)) === null) return null;
  return { of: async (paths) => findHeld(root, paths) };
}

async function findHeld(
  root: string,
  paths: readonly string[],
): Promise<ReadonlySet<string> | null> {
  try {
    const wanted = new Map(paths.map((path) => [path, identify(path)]));
    const inQuestion = new Set([...wanted.values()].filter((file) => file !== null));
    const first = listPids(root);
    const held = await lookThrough(root, first, inQuestion);
    // Those that came meanwhile have what their parents had open then.
    const seen = new Set(first);
    const later = listPids(root).filter((pid) => !seen.has(pid));
    const heldLater = await lookThrough(root, later, inQuestion);
    const isHeld = (file: string): boolean => held.has(file) || heldLater.has(file);
    return new Set(paths.filter((path) => isHeld(wanted.get(path) ?? '')));
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  }
}

/** Those of some files that some processes have open for writing. */
async function lookThrough(
  root: string,
  pids: readonly number[],
  files: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const held = new Set<string>();
  let turnEndsMs = performance.now() + TURN_MS;
  for (const pid of pids) {
    for (const file of writtenBy(`${root}/${pid}/fd`, files)) held.add(file);
    if (performance.now() < turnEndsMs) continue;
    await nextTurn();
    turnEndsMs = performance.now() + TURN_MS;
  }
  return held;
}

/** What tells a file from every other, whatever it is called by now. */
function identify(path: string): string | null {
  const stats = attempt(() => lstatSync(path, { bigint: true }));
  return stats === null ? null : `${stats.dev} ${stats.ino}`;
}

/** Those of some files that one process has open for writing. */
function writtenBy(directory: string, files: ReadonlySet<string>): readonly string[] {
  const names = attempt(() => readdirSync(directory)) ?? [];
  return names.flatMap((name) => {
    const open = `${directory}/${name}`;
    const stats = attempt(() => statSync(open, { bigint: true }));
    const file = stats === null ? '' : `${stats.dev} ${stats.ino}`;
    if (!files.has(file)) return [];
    // The link to an open file shows by its mode what it was opened for.
    const link = attempt(() => lstatSync(open, { bigint: true }));
    return link !== null && (link.mode & OWNER_WRITES) !== 0n ? [file] : [];
  });
}
