import { join } from 'node:path';
import { isKeptWords } from '../../domain/kept-words.js';
import { isTerminal } from '../../domain/status.js';
import type { Files } from '../../ports.js';
import type { Paths } from '../../record/paths.js';
import type { LiveWorld } from '../live-world.js';

/** Files of one kind in one folder, and how much of them is kept. */
type Heap = {
  readonly directory: string;
  readonly isMeant: (name: string) => boolean;
  readonly files: number;
  readonly bytes: number;
};

/** Of the last screens of one task's agents. */
const SCREENS = { isMeant: (name: string) => name.endsWith('.txt'), files: 20, bytes: Infinity };
/** Of intents that could not be read. */
const INTENTS = { isMeant: (name: string) => name.endsWith('.json'), files: 20, bytes: Infinity };
/** Of words that could not stay in one task's file. */
const KEPT_WORDS = { files: 50, bytes: 64 * 1024 * 1024 };

/**
 * The oldest of what would otherwise grow for as long as a task or a home lives. Of words that somebody
 * wrote (`.md`) only those are among it that could not go into the file, when there are very many.
 */
export function findSurplus(parts: {
  readonly world: LiveWorld;
  readonly files: Files;
  readonly paths: Paths;
}): readonly string[] {
  const { world, files, paths } = parts;
  const growing = [...world.tasks.values()].filter(({ fields }) => !isTerminal(fields.status));
  return [
    ...oldest(files, { directory: paths.damagedIntentsDir, ...INTENTS }),
    ...growing.flatMap(({ fields: { project, id }, keptEdit }) => {
      const directory = paths.transcriptsDir(project, id);
      // What the inbox names stays until somebody has seen it.
      const isMeant = (name: string): boolean => isKeptWords(name) && name !== keptEdit;
      return [
        ...oldest(files, { directory, ...SCREENS }),
        ...oldest(files, { directory, isMeant, ...KEPT_WORDS }),
      ];
    }),
  ];
}

function oldest(files: Files, heap: Heap): readonly string[] {
  const listed = files.list(heap.directory);
  const names = listed.ok ? listed.value.filter(heap.isMeant) : [];
  const isSmall = names.length <= heap.files && heap.bytes === Infinity;
  if (names.length <= 1 || isSmall) return [];
  const newestFirst = names
    .flatMap((name) => {
      const path = join(heap.directory, name);
      const state = files.stat(path);
      const isFile = state.ok && state.value.kind === 'file';
      return isFile ? [{ path, ...state.value.stamp }] : [];
    })
    .toSorted((a, b) => b.mtimeMs - a.mtimeMs);
  let bytes = 0;
  const firstOver = newestFirst.findIndex(({ size }, index) => {
    bytes += size;
    return index > 0 && (index >= heap.files || bytes > heap.bytes);
  });
  return firstOver === -1 ? [] : newestFirst.slice(firstOver).map(({ path }) => path);
}
