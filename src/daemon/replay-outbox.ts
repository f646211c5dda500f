import { success, type Result } from '../domain/result.js';
import type { Diagnostic } from '../domain/diagnostic.js';
import type { HistoryLog } from '../record/history-log.js';
import type { Outbox, OutboxEntry } from '../record/outbox.js';
import type { Paths } from '../record/paths.js';
import type { TaskStore } from '../record/task-store.js';
import type { Files } from '../ports.js';
import { effectFromJson } from './effect-json.js';
import type { Owed } from './recorder.js';

export type Replayed = {
  readonly owed: readonly (Owed & { readonly taskId: string })[];
  readonly damaged: readonly Diagnostic[];
  readonly nextSeq: number;
};

/**
 * Brings to an end what an earlier daemon had begun: entries whose TASK.md was never replaced are
 * dropped, of the others the missing history is appended, and their effects are handed on.
 */
export function replayOutbox(parts: {
  readonly outbox: Outbox;
  readonly store: TaskStore;
  readonly history: HistoryLog;
  readonly paths: Paths;
  readonly files: Files;
}): Result<Replayed> {
  const listed = parts.outbox.list();
  if (!listed.ok) return listed;
  const projects = findProjects(parts);
  const owed: (Owed & { taskId: string })[] = [];
  let nextSeq = 1;
  for (const entry of listed.value.entries) {
    nextSeq = Math.max(nextSeq, entry.seq + 1);
    const project = projects.get(entry.taskId);
    if (project === undefined || !isCommitted(parts.store, entry, project)) {
      const removed = parts.outbox.remove(entry.seq);
      if (!removed.ok) return removed;
      continue;
    }
    const completed = completeHistory(parts, entry, project);
    if (!completed.ok) return completed;
    owed.push({
      taskId: entry.taskId,
      seq: entry.seq,
      effects: entry.effects.flatMap((value) => effectFromJson(value) ?? []),
    });
  }
  return success({ owed, damaged: listed.value.damaged, nextSeq });
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

function isCommitted(store: TaskStore, entry: OutboxEntry, project: string): boolean {
  if (entry.commit === null) return true;
  const loaded = store.load(project, entry.taskId);
  // A file that cannot be read proves nothing; its history must not lose the event.
  if (loaded.kind === 'unreadable') return true;
  return loaded.record.fields.updated_at >= entry.commit;
}

function completeHistory(
  parts: { readonly history: HistoryLog; readonly paths: Paths; readonly files: Files },
  entry: OutboxEntry,
  project: string,
): Result<void> {
  if (entry.events.length === 0) return success(undefined);
  const path = parts.paths.historyFile(project, entry.taskId);
  const text = parts.files.readText(path, 512 * 1024 * 1024);
  const lines = new Set(text.ok ? text.value.text.split('\n') : []);
  const missing = entry.events.filter((line) => !lines.has(line));
  if (missing.length === 0) return success(undefined);
  const appended = parts.history.append(path, missing);
  return appended.ok ? success(undefined) : appended;
}
