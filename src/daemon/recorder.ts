import type { Change, Decision, SectionEdit } from '../domain/decision.js';
import type { Effect } from '../domain/effect.js';
import type { JsonValue } from '../domain/json.js';
import type { Moment } from '../domain/observation.js';
import { DONE, success, type Result } from '../domain/result.js';
import type { FrontmatterValue, TaskRecord } from '../domain/task.js';
import type { TaskState } from '../domain/world.js';
import { restoreTask } from '../engine/restore-task.js';
import type { TaskFileObserver } from '../observe/task-file-observer.js';
import type { HistoryLog } from '../record/history-log.js';
import { formatEvent } from '../record/history-log.js';
import type { TaskEdits } from '../record/edit-task-file.js';
import type { Outbox } from '../record/outbox.js';
import type { Paths } from '../record/paths.js';
import { artifactsOf, readSections, removeSection, setSection } from '../record/sections.js';
import type { TaskStore } from '../record/task-store.js';
import type { LiveWorld } from './live-world.js';
import { laterTimestamp } from './later-timestamp.js';

type UpdateTask = Extract<Change, { kind: 'update-task' }>;
type CreateTask = Extract<Change, { kind: 'create-task' }>;

/** Effects that are owed, and the outbox entry that remembers them until they are done. */
export type Owed = { readonly seq: number | null; readonly effects: readonly Effect[] };

type Late = {
  readonly task: TaskState;
  readonly lines: readonly string[];
  readonly owed: Owed;
};

export type Recorder = {
  /** Makes a decision durable and the world agree with it: outbox, TASK.md, history, memory. */
  record(decision: Decision, moment: Moment, requestId: string | null): Result<Owed>;
  /**
   * Appends history that could not be written when its move was committed, and gives back what is
   * owed behind it. Until then the move is not acknowledged and its effects wait.
   */
  retryLate(): readonly Owed[];
  /** Forgets an outbox entry whose effects are done. */
  settle(seq: number): Result<void>;
};

/**
 * The order is what makes a crash harmless. The outbox entry comes first and counts only if TASK.md
 * shows its `updated_at`; replacing TASK.md is the commit point; the history follows; then effects.
 */
export function createRecorder(parts: {
  readonly world: LiveWorld;
  readonly store: TaskStore;
  readonly history: HistoryLog;
  readonly outbox: Outbox;
  readonly observer: TaskFileObserver;
  readonly paths: Paths;
  readonly firstSeq: number;
}): Recorder {
  const { world, store, history, outbox, observer, paths } = parts;
  let nextSeq = parts.firstSeq;
  const late: Late[] = [];

  function record(decision: Decision, moment: Moment, requestId: string | null): Result<Owed> {
    let seq: number | null = null;
    const update = decision.changes.find((change) => change.kind === 'update-task');
    if (update === undefined && decision.effects.length > 0) {
      const owed = writeIntent({ taskId: decision.taskId ?? '', commit: null, lines: [] }, decision, requestId);
      if (!owed.ok) return owed;
      seq = owed.value;
    }
    for (const change of decision.changes) {
      const done = recordChange(change, decision, moment, requestId);
      if (!done.ok) return done;
      seq = done.value ?? seq;
    }
    return success({ seq, effects: decision.effects });
  }

  function recordChange(
    change: Change,
    decision: Decision,
    moment: Moment,
    requestId: string | null,
  ): Result<number | null> {
    switch (change.kind) {
      case 'create-task':
        return createTask(change, moment);
      case 'update-task':
        return updateTask(change, decision, moment, requestId);
      case 'delete-task':
        return deleteTask(change.taskId);
      case 'quarantine':
        world.quarantined.add(change.workspace);
        return success(null);
    }
  }

  function createTask(change: CreateTask, moment: Moment): Result<null> {
    const { fields, extensions, body } = change;
    const lines = change.events.map((event) => formatEvent(event, moment.timestamp));
    const stored = store.create({ fields, extensions, body }, lines);
    if (!stored.ok) return stored;
    const { sections } = readSections(body);
    const task = restoreTask({
      fields,
      extensions,
      context: sections.Context ?? null,
      artifacts: artifactsOf(sections),
      events: [],
      problems: [],
    });
    world.putTask({ ...task, ...change.runtime, isSettled: true });
    return success(null);
  }

  function updateTask(
    change: UpdateTask,
    decision: Decision,
    moment: Moment,
    requestId: string | null,
  ): Result<number | null> {
    const task = world.tasks.get(change.taskId);
    if (task === undefined) return success(null);
    const writesFile =
      Object.keys(change.fields).length > 0 ||
      Object.keys(change.extensions).length > 0 ||
      change.sections.length > 0 ||
      (task.claims !== null && change.runtime.claims === null);
    const updatedAt = writesFile ? laterTimestamp(task.fields.updated_at, moment) : null;
    const lines = change.events.map((event) => formatEvent(event, updatedAt ?? moment.timestamp));
    const intent = { taskId: change.taskId, commit: updatedAt, lines };
    const owed = writeIntent(intent, decision, requestId);
    if (!owed.ok) return owed;
    const written = updatedAt === null ? success(task) : writeTask(task, change, updatedAt);
    if (!written.ok) return discard(owed.value, written);
    world.putTask({ ...written.value, ...change.runtime });
    const appended = appendHistory(task, lines);
    if (!appended.ok) {
      late.push({ task, lines, owed: { seq: owed.value, effects: decision.effects } });
      return appended;
    }
    if (decision.effects.length === 0 && owed.value !== null) {
      const removed = outbox.remove(owed.value);
      return removed.ok ? success(null) : removed;
    }
    return success(owed.value);
  }

  function writeIntent(
    intent: { readonly taskId: string; readonly commit: string | null; readonly lines: readonly string[] },
    decision: Decision,
    requestId: string | null,
  ): Result<number | null> {
    if (intent.lines.length === 0 && decision.effects.length === 0) return success(null);
    const seq = nextSeq;
    nextSeq += 1;
    const written = outbox.write({
      seq,
      taskId: intent.taskId,
      commit: intent.commit,
      events: intent.lines,
      effects: decision.effects as unknown as readonly JsonValue[],
      requestId,
    });
    return written.ok ? success(seq) : written;
  }

  function writeTask(task: TaskState, change: UpdateTask, updatedAt: string): Result<TaskState> {
    const { project, id } = task.fields;
    const fields = { ...task.fields, ...change.fields, updated_at: updatedAt };
    for (const { name, text } of change.transcripts) {
      const kept = store.writeTranscript({ project, id, name, text });
      if (!kept.ok) return kept;
    }
    const moved = keepMovedSections(task, change);
    if (!moved.ok) return moved;
    let bodyBefore = '';
    const stored = store.write(project, id, (current): TaskEdits => {
      bodyBefore = current.body;
      const body = change.sections.reduce(editSection, current.body);
      const extensions = extensionEdits(change, current);
      return body === current.body ? { fields, extensions } : { fields, extensions, body };
    });
    if (!stored.ok) return stored;
    const { record } = stored.value;
    const { sections } = readSections(record.body);
    const context = sections.Context ?? null;
    const next: TaskState = {
      ...task,
      fields: record.fields,
      extensions: record.extensions,
      context: change.runtime.context === undefined ? task.context : context,
      artifacts: record.body === bodyBefore ? task.artifacts : artifactsOf(sections),
    };
    observer.noteWrite(next, { stamp: stored.value.stamp, body: record.body });
    return success(next);
  }

  function keepMovedSections(task: TaskState, change: UpdateTask): Result<void> {
    const { project, id } = task.fields;
    for (const edit of change.sections) {
      if (edit.kind !== 'move-out') continue;
      const current = store.read(project, id);
      if (!current.ok) return current;
      const { removed } = removeSection(current.value.record.body, edit.section);
      if (removed === null) continue;
      const kept = store.writeTranscript({ project, id, name: edit.transcript, text: removed });
      if (!kept.ok) return kept;
    }
    return DONE;
  }

  function appendHistory(task: TaskState, lines: readonly string[]): Result<void> {
    if (lines.length === 0) return DONE;
    const path = paths.historyFile(task.fields.project, task.fields.id);
    const appended = history.append(path, lines);
    if (!appended.ok) return appended;
    const { repaired } = appended.value;
    if (repaired === null) return DONE;
    const note = { type: 'history.repaired', cut: repaired.slice(0, 200) };
    const noted = history.append(path, [formatEvent(note, task.fields.updated_at)]);
    return noted.ok ? DONE : noted;
  }

  function retryLate(): readonly Owed[] {
    const done: Owed[] = [];
    for (let first = late[0]; first !== undefined; first = late[0]) {
      if (!appendHistory(first.task, first.lines).ok) break;
      late.shift();
      done.push(first.owed);
    }
    return done;
  }

  function deleteTask(taskId: string): Result<null> {
    const task = world.tasks.get(taskId);
    if (task === undefined) return success(null);
    const removed = store.remove(task.fields.project, taskId);
    if (!removed.ok) return removed;
    observer.forget(taskId);
    world.removeTask(taskId);
    return success(null);
  }

  function discard(seq: number | null, failure: Result<never> & { readonly ok: false }): Result<never> {
    if (seq !== null) outbox.remove(seq);
    return failure;
  }

  return { record, retryLate, settle: (seq) => outbox.remove(seq) };
}

function editSection(body: string, edit: SectionEdit): string {
  return edit.kind === 'set'
    ? setSection(body, edit.section, edit.text)
    : removeSection(body, edit.section).body;
}

function extensionEdits(change: UpdateTask, current: TaskRecord): Record<string, FrontmatterValue> {
  const edits = Object.entries(change.extensions).filter(
    ([key, value]) => value !== null || current.extensions[key] !== undefined,
  );
  return Object.fromEntries(edits);
}

