import type { Failure } from '../domain/failure.js';
import { DONE, type Result } from '../domain/result.js';
import type { HistoryLog } from '../record/history-log.js';
import type { Paths } from '../record/paths.js';
import type { Owed } from './owed.js';
import { repairNote } from './repair-note.js';

/** Lines of one task's history, and what is owed once they are written. */
export type HistoryLines = {
  readonly project: string;
  readonly taskId: string;
  readonly lines: readonly string[];
  readonly owed: Owed;
};

/** Writes histories. What cannot be written now waits, and nothing of its task overtakes it. */
export class HistoryWriter {
  readonly #history: HistoryLog;
  readonly #paths: Paths;
  readonly #late: (HistoryLines & { readonly failure: Failure })[] = [];

  constructor({ history, paths }: { readonly history: HistoryLog; readonly paths: Paths }) {
    this.#history = history;
    this.#paths = paths;
  }

  /** Why the lines have to wait, or null when they are written. */
  append(entry: HistoryLines): Failure | null {
    const waiting = this.#late.find(({ taskId }) => taskId === entry.taskId);
    const appended: Result<void> =
      waiting === undefined ? this.#write(entry) : { ok: false, failure: waiting.failure };
    if (appended.ok) return null;
    this.#late.push({ ...entry, failure: appended.failure });
    return appended.failure;
  }

  /** Writes what waits, as far as it goes, and gives what is owed for it. */
  retry(): readonly Owed[] {
    const done: Owed[] = [];
    for (let first = this.#late[0]; first !== undefined; first = this.#late[0]) {
      if (!this.#write(first).ok) break;
      this.#late.shift();
      done.push(first.owed);
    }
    return done;
  }

  #write({ project, taskId, lines }: HistoryLines): Result<void> {
    return appendHistory(this.#history, this.#paths.historyFile(project, taskId), lines);
  }
}

/** Appends lines, and tells in the history itself when a torn end had to be cut off first. */
export function appendHistory(
  history: HistoryLog,
  path: string,
  lines: readonly string[],
): Result<void> {
  const last = lines.at(-1);
  if (last === undefined) return DONE;
  const appended = history.append(path, lines);
  if (!appended.ok) return appended;
  const { repaired } = appended.value;
  if (repaired === null) return DONE;
  const noted = history.append(path, [repairNote(repaired, last)]);
  return noted.ok ? DONE : noted;
}
