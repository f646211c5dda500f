import { join } from 'node:path';
import { failpoint } from '../domain/failpoint.js';
import type { Diagnostic } from '../domain/diagnostic.js';
import type { HistoryEvent } from '../domain/history-event.js';
import { describeFailure } from '../domain/describe-failure.js';
import type { Failure } from '../domain/failure.js';
import { DONE, failed, success, type Result } from '../domain/result.js';
import type { Files } from '../ports.js';
import type { HistoryLog } from '../record/history-log.js';
import { errorAt } from '../record/diagnostic-codes.js';
import type { Outbox, OutboxEntry } from '../record/outbox.js';
import type { Paths } from '../record/paths.js';
import type { TaskStore } from '../record/task-store.js';
import { effectFromJson } from './effect-json.js';
import { appendHistory } from './history-writer.js';
import { isCommitted, type Placed } from './is-committed.js';
import type { Owed } from './owed.js';

/** An entry that counts, with the history its task has now. */
export type Pending = Owed & {
  readonly seq: number;
  readonly taskId: string;
  readonly events: readonly HistoryEvent[];
};

/** A move that counts, or may, and whose history cannot be completed now. */
export type StuckMove = Placed & {
  readonly failure: Failure;
};

export type Replayed = {
  readonly owed: readonly Pending[];
  /** In their order; of a task that has one, nothing later has been touched. */
  readonly stuck: readonly StuckMove[];
  readonly damaged: readonly Diagnostic[];
  readonly nextSeq: number;
};

type Parts = {
  readonly outbox: Outbox;
  readonly store: TaskStore;
  readonly history: HistoryLog;
  readonly paths: Paths;
  readonly files: Files;
};

/**
 * Brings to an end what an earlier daemon had begun: entries whose TASK.md was never replaced are
 * dropped, of the others the missing history is appended, and their effects are handed on.
 */
export function replayOutbox(parts: Parts): Result<Replayed> {
  const listed = parts.outbox.list();
  if (!listed.ok) return listed;
  failpoint('replay.listed');
  const found = findProjects(parts);
  if (!found.ok) return found;
  const sorted = completeEntries(parts, listed.value.entries, found.value);
  if (!sorted.ok) return sorted;
  const { kept, stuck } = sorted.value;
  const swept = removeTorn(parts.files, listed.value.torn);
  if (!swept.ok) return swept;
  // Only now are the histories complete: a later entry may hold the result of an earlier one.
  const owed = kept.map(({ entry, project }) => pendingOf(parts, entry, project));
  const { damaged, nextSeq } = listed.value;
  return success({ owed, stuck, damaged, nextSeq });
}

/** Completes the history of each entry that counts; those that still owe something are kept. */
function completeEntries(
  parts: Parts,
  entries: readonly OutboxEntry[],
  projects: ReadonlyMap<string, string>,
): Result<{ readonly kept: readonly Placed[]; readonly stuck: readonly StuckMove[] }> {
  const kept: Placed[] = [];
  const stuck: StuckMove[] = [];
  for (const entry of entries) {
    const placed = placeEntry(entry, entries, projects);
    const before = stuck.find(({ entry: { taskId } }) => taskId === entry.taskId);
    const counts = before === undefined ? countEntry(parts, placed) : failed(before.failure);
    if (!counts.ok && placed !== null) {
      // One task's history must not keep the others from being served; the entry waits for it.
      stuck.push({ ...placed, failure: counts.failure });
    } else if (counts.ok && counts.value && placed !== null && entry.effects.length > 0) {
      kept.push(placed);
    } else {
      const removed = parts.outbox.remove(entry.seq);
      if (!removed.ok) return removed;
    }
  }
  return success({ kept, stuck });
}

/** Null for an entry of a task that is gone. */
function placeEntry(
  entry: OutboxEntry,
  entries: readonly OutboxEntry[],
  projects: ReadonlyMap<string, string>,
): Placed | null {
  const project = projects.get(entry.taskId);
  if (project === undefined) return null;
  const later = entries.filter(({ taskId, seq }) => taskId === entry.taskId && seq > entry.seq);
  return { entry, project, laterCommits: later.flatMap(({ commit }) => commit ?? []) };
}

/** What the outbox says is owed, for somebody who only looks: it may turn out never to have counted. */
export function listPromises(parts: Parts): Result<readonly Pending[]> {
  const listed = parts.outbox.list();
  if (!listed.ok) return listed;
  const found = findProjects(parts);
  if (!found.ok) return found;
  return success(
    listed.value.entries.flatMap((entry) => {
      const project = found.value.get(entry.taskId);
      return project === undefined ? [] : [pendingOf(parts, entry, project)];
    }),
  );
}

/** Tries once more; what is owed for the move, if it counts. */
export function completeStuck(parts: Parts, stuck: StuckMove): Result<Pending | null> {
  const { entry, project } = stuck;
  const counts = completeEntry(parts, stuck);
  if (!counts.ok) return counts;
  if (counts.value && entry.effects.length > 0) return success(pendingOf(parts, entry, project));
  const removed = parts.outbox.remove(entry.seq);
  return removed.ok ? success(null) : removed;
}

function removeTorn(files: Files, torn: readonly string[]): Result<void> {
  for (const file of torn) {
    const removed = files.remove(file);
    if (!removed.ok) return removed;
  }
  return DONE;
}

/** Whether an entry counts, its history completed; one of a task that is gone does not. */
function countEntry(parts: Parts, placed: Placed | null): Result<boolean> {
  return placed === null ? success(false) : completeEntry(parts, placed);
}

/** Appends what the history lacks of an entry; false when its TASK.md was never replaced. */
function completeEntry(parts: Parts, placed: Placed): Result<boolean> {
  const { entry, project } = placed;
  const path = parts.paths.historyFile(project, entry.taskId);
  const before = readLines(parts.files, path);
  if (!before.ok) return before;
  const missing = entry.events.filter((line) => !before.value.has(line));
  const wasRecorded = entry.events.length > 0 && missing.length === 0;
  if (!wasRecorded) {
    const committed = isCommitted(parts.store, placed);
    if (!committed.ok || !committed.value) return committed;
  }
  const completed = appendHistory(parts.history, path, missing);
  failpoint('replay.history-completed');
  return completed.ok ? success(true) : completed;
}

/** What is to be said of a task of which a move is stuck. */
export function diagnoseStuck(file: string, failure: Failure): Diagnostic {
  return errorAt('ORA091', {
    file,
    line: 1,
    message: `a move of this task is not complete: ${describeFailure(failure).message}`,
    fix: 'mend what is named; it is tried again every second',
  });
}

function pendingOf(parts: Parts, { seq, taskId, effects }: OutboxEntry, project: string): Pending {
  const read = parts.history.read(parts.paths.historyFile(project, taskId));
  return {
    seq,
    taskId,
    effects: effects.flatMap((value) => effectFromJson(value) ?? []),
    events: read.ok ? read.value.events : [],
  };
}

function readLines(files: Files, path: string): Result<ReadonlySet<string>> {
  const state = files.stat(path);
  if (!state.ok) return state;
  if (state.value.kind === 'absent') return success(new Set());
  // A torn end may be no UTF-8; every whole line must be recognised all the same.
  const text = files.readText(path, MAX_HISTORY_BYTES, 'lossy');
  return text.ok ? success(new Set(text.value.text.split('\n'))) : text;
}

const MAX_HISTORY_BYTES = 512 * 1024 * 1024;

function findProjects(parts: Parts): Result<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const projects = listDirectory(parts.files, parts.paths.tasksDir);
  if (!projects.ok) return projects;
  for (const project of projects.value) {
    const ids = listDirectory(parts.files, join(parts.paths.tasksDir, project));
    if (!ids.ok) return ids;
    for (const id of ids.value) found.set(id, project);
  }
  return success(found);
}

/** The names in a directory; none where there is no directory. */
function listDirectory(files: Files, path: string): Result<readonly string[]> {
  const state = files.stat(path);
  if (!state.ok) return state;
  return state.value.kind === 'directory' ? files.list(path) : success([]);
}
