import { join } from 'node:path';
import { isTerminal } from '../../domain/status.js';
import type { Files } from '../../ports.js';
import type { Paths } from '../../record/paths.js';
import type { LiveWorld } from '../live-world.js';

/** So many of the last screens of one task's agents are kept. */
const SCREENS = 20;
/** So many intents that could not be read are kept. */
const INTENTS = 20;

/**
 * The oldest of what would otherwise grow for as long as a task or a home lives. Words that somebody
 * wrote (`.md`) are never among it.
 */
export function findSurplus(parts: {
  readonly world: LiveWorld;
  readonly files: Files;
  readonly paths: Paths;
}): readonly string[] {
  const { world, files, paths } = parts;
  const growing = [...world.tasks.values()].filter(({ fields }) => !isTerminal(fields.status));
  return [
    ...oldest(files, { directory: paths.damagedIntentsDir, suffix: '.json', keep: INTENTS }),
    ...growing.flatMap(({ fields: { project, id } }) =>
      oldest(files, {
        directory: paths.transcriptsDir(project, id),
        suffix: '.txt',
        keep: SCREENS,
      }),
    ),
  ];
}

function oldest(
  files: Files,
  row: { readonly directory: string; readonly suffix: string; readonly keep: number },
): readonly string[] {
  const listed = files.list(row.directory);
  const names = listed.ok ? listed.value.filter((name) => name.endsWith(row.suffix)) : [];
  if (names.length <= row.keep) return [];
  return names
    .flatMap((name) => {
      const path = join(row.directory, name);
      const state = files.stat(path);
      const isFile = state.ok && state.value.kind === 'file';
      return isFile ? [{ path, mtimeMs: state.value.stamp.mtimeMs }] : [];
    })
    .toSorted((a, b) => b.mtimeMs - a.mtimeMs)
    .slice(row.keep)
    .map(({ path }) => path);
}
