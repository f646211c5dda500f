import { describeFailure } from '../domain/describe-failure.js';
import type { Diagnostic } from '../domain/diagnostic.js';
import type { Failure } from '../domain/failure.js';
import { DONE, type Result } from '../domain/result.js';
import { errorAt } from '../record/diagnostic-codes.js';
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
  #late: (HistoryLines & { readonly failure: Failure })[] = [];

  constructor({ history, paths }: { readonly history: HistoryLog; readonly paths: Paths }) {
    this.#history = history;
    this.#paths = paths;
  }

  /** Why the lines have to wait, or null when they are written. */
  append(entry: HistoryLines): Failure | null {
    const waiting = this.#late.find(({ taskId }) => taskId === entry.taskId);
    const failure = waiting === undefined ? this.#write(entry) : waiting.failure;
    if (failure !== null) this.#late.push({ ...entry, failure });
    return failure;
  }

  /** Why lines of a task have to wait; null when none do. */
  failureOf(task: string): Failure | null {
    return this.#late.find(({ taskId }) => taskId === task)?.failure ?? null;
  }

  /** Writes what waits, as far as it goes, and gives what is owed for it. */
  retry(): readonly Owed[] {
    const done: Owed[] = [];
    const blocked = new Set<string>();
    const waiting = this.#late;
    this.#late = [];
    for (const entry of waiting) {
      const failure = blocked.has(entry.taskId) ? entry.failure : this.#write(entry);
      if (failure === null) done.push(entry.owed);
      else {
        blocked.add(entry.taskId);
        this.#late.push({ ...entry, failure });
      }
    }
    return done;
  }

  /** Drops what waits for a task that is deleted; gives the intents that it was for. */
  forget(forgotten: string): readonly Owed[] {
    const dropped = this.#late.filter(({ taskId }) => taskId === forgotten);
    this.#late = this.#late.filter(({ taskId }) => taskId !== forgotten);
    return dropped.map(({ owed }) => owed);
  }

  /** Why the lines could not be written, or null. */
  #write({ project, taskId, lines }: HistoryLines): Failure | null {
    const path = this.#paths.historyFile(project, taskId);
    const appended = appendHistory(this.#history, path, lines);
    return appended.ok ? null : appended.failure;
  }
}

/** What is to be said of a task while its history cannot be written. */
export function diagnoseLate(file: string, failure: Failure): Diagnostic {
  return errorAt('ORA092', {
    file,
    line: 1,
    message: `what has happened to this task cannot be written down: ${describeFailure(failure).message}`,
    fix: 'mend what is named; it is tried again every second',
  });
}

/**
 * Appends lines, and tells in the history itself when a torn end had to be cut off first. That note
 * alone is no reason to write the lines once more.
 */
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
  if (repaired !== null) history.append(path, [repairNote(repaired, last)]);
  return DONE;
}
