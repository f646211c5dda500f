import type { Diagnostic } from '../domain/diagnostic.js';
import type { HistoryEvent } from '../domain/history-event.js';
import { success, type Result } from '../domain/result.js';
import type { Files } from '../ports.js';
import type { HistoryLog } from '../record/history-log.js';
import type { Outbox, OutboxEntry } from '../record/outbox.js';
import type { Paths } from '../record/paths.js';
import type { TaskStore } from '../record/task-store.js';
import { effectFromJson } from './effect-json.js';
import { appendHistory } from './history-writer.js';
import type { Owed } from './owed.js';

/** An entry that counts, with the history its task has now. */
export type Pending = Owed & {
  readonly seq: number;
  readonly taskId: string;
  readonly events: readonly HistoryEvent[];
};

export type Replayed = {
  readonly owed: readonly Pending[];
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
  const projects = findProjects(parts);
  const owed: Pending[] = [];
  let nextSeq = 1;
  for (const entry of listed.value.entries) {
    nextSeq = Math.max(nextSeq, entry.seq + 1);
    const project = projects.get(entry.taskId);
    const kept = project === undefined ? success(null) : replayEntry(parts, entry, project);
    if (!kept.ok) return kept;
    if (kept.value !== null && kept.value.effects.length > 0) {
      owed.push(kept.value);
      continue;
    }
    const removed = parts.outbox.remove(entry.seq);
    if (!removed.ok) return removed;
  }
  for (const { file } of listed.value.damaged) nextSeq = Math.max(nextSeq, seqOf(file) + 1);
  return success({ owed, damaged: listed.value.damaged, nextSeq });
}

/** The entry with its history complete, or null when its TASK.md was never replaced. */
function replayEntry(parts: Parts, entry: OutboxEntry, project: string): Result<Pending | null> {
  const path = parts.paths.historyFile(project, entry.taskId);
  const before = readLines(parts.files, path);
  const missing = entry.events.filter((line) => !before.has(line));
  const wasRecorded = entry.events.length > 0 && missing.length === 0;
  if (!wasRecorded && !isCommitted(parts.store, entry, project)) return success(null);
  const completed = appendHistory(parts.history, path, missing);
  if (!completed.ok) return completed;
  const read = parts.history.read(path);
  const events = read.ok ? read.value.events : [];
  const effects = entry.effects.flatMap((value) => effectFromJson(value) ?? []);
  return success({ seq: entry.seq, taskId: entry.taskId, effects, events });
}

function isCommitted(store: TaskStore, entry: OutboxEntry, project: string): boolean {
  if (entry.commit === null) return true;
  const loaded = store.load(project, entry.taskId);
  // A file that cannot be read proves nothing; its history must not lose the event.
  if (loaded.kind === 'unreadable') return true;
  return Date.parse(loaded.record.fields.updated_at) >= Date.parse(entry.commit);
}

function readLines(files: Files, path: string): ReadonlySet<string> {
  // A torn end may be no UTF-8; every whole line must be recognised all the same.
  const text = files.readText(path, MAX_HISTORY_BYTES, 'lossy');
  return new Set(text.ok ? text.value.text.split('\n') : []);
}

const MAX_HISTORY_BYTES = 512 * 1024 * 1024;

function seqOf(file: string): number {
  return Number(/(\d{1,15})\.json$/.exec(file)?.[1] ?? 0);
}

function findProjects(parts: {
  readonly files: Files;
  readonly paths: Paths;
}): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const projects = parts.files.list(parts.paths.tasksDir);
  for (const project of projects.ok ? projects.value : []) {
    const ids = parts.files.list(`${parts.paths.tasksDir}/${project}`);
    for (const id of ids.ok ? ids.value : []) found.set(id, project);
  }
  return found;
}
