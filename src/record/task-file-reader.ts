import type { FileStamp, ReadFile } from '../ports.js';
import type { Paths } from './paths.js';
import { parseTaskFile, type TaskFileContext, type TaskFileReading } from './task-file.js';

/**
 * Reads TASK.md texts, and remembers the last one: a file is looked at before it is decided about, and
 * most often unchanged when it is then written.
 */
export class TaskFileReader {
  readonly #paths: Paths;
  #last: {
    readonly path: string;
    readonly file: ReadFile;
    readonly reading: TaskFileReading;
  } | null = null;

  constructor(paths: Paths) {
    this.#paths = paths;
  }

  read(project: string, id: string, file: ReadFile): TaskFileReading {
    const path = this.#paths.taskFile(project, id);
    const last = this.#last;
    if (last !== null && last.path === path && isSame(last.file, file)) return last.reading;
    const reading = parseTaskFile(file.text, path, contextOf(project, id, file.stamp));
    this.#last = { path, file, reading };
    return reading;
  }
}

// The stamp stands in for times that the file does not tell.
function isSame(one: ReadFile, other: ReadFile): boolean {
  return one.stamp.mtimeMs === other.stamp.mtimeMs && one.text === other.text;
}

/** What is known of a task's file from where it is and when it was written. */
export function contextOf(project: string, id: string, stamp: FileStamp): TaskFileContext {
  return { expected: { id, project }, now: new Date(stamp.mtimeMs).toISOString() };
}
