import type { FileStamp, ReadFile } from '../ports.js';
import type { Paths } from './paths.js';
import type { Names } from './task-fields.js';
import { parseTaskFile, type TaskFileContext, type TaskFileReading } from './task-file.js';

/** Where a task lies, which names it. */
export type TaskPlace = { readonly project: string; readonly id: string };

/**
 * Reads TASK.md texts, and remembers the last one: a file is looked at before it is decided about, and
 * most often unchanged when it is then written.
 */
export class TaskFileReader {
  readonly #paths: Paths;
  #last: {
    readonly path: string;
    readonly file: ReadFile;
    readonly names: Names;
    readonly reading: TaskFileReading;
  } | null = null;

  constructor(paths: Paths) {
    this.#paths = paths;
  }

  read(place: TaskPlace, file: ReadFile, names: Names): TaskFileReading {
    const { project, id } = place;
    const path = this.#paths.taskFile(project, id);
    const last = this.#last;
    const isKnown = last !== null && last.path === path && last.names === names;
    if (isKnown && isSame(last.file, file)) return last.reading;
    const reading = parseTaskFile(file.text, path, contextOf(place, file.stamp, names));
    this.#last = { path, file, names, reading };
    return reading;
  }
}

// The stamp stands in for times that the file does not tell.
function isSame(one: ReadFile, other: ReadFile): boolean {
  return one.stamp.mtimeMs === other.stamp.mtimeMs && one.text === other.text;
}

/** What is known of a task's file from where it is and when it was written. */
export function contextOf(place: TaskPlace, stamp: FileStamp, names: Names): TaskFileContext {
  const { id, project } = place;
  return { expected: { id, project }, names, now: new Date(stamp.mtimeMs).toISOString() };
}
