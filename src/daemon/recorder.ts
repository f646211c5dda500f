import { isAboutFile, isAboutLateHistory } from '../domain/diagnostic.js';
import type { Change, Decision } from '../domain/decision.js';
import { failpoint } from '../domain/failpoint.js';
import type { Failure } from '../domain/failure.js';
import { isMachineFault } from '../domain/is-machine-fault.js';
import type { Moment, Observation } from '../domain/observation.js';
import { success, type Result } from '../domain/result.js';
import type { TaskState } from '../domain/world.js';
import { restoreTask } from '../engine/restore-task.js';
import type { Files } from '../ports.js';
import type { TaskFileObserver } from '../observe/task-file-observer.js';
import type { HistoryLog } from '../record/history-log.js';
import { formatEvent } from '../record/history-log.js';
import type { Outbox } from '../record/outbox.js';
import type { Paths } from '../record/paths.js';
import { artifactsOf, readSections } from '../record/sections.js';
import type { TaskStore } from '../record/task-store.js';
import { editBody } from './edit-body.js';
import { diagnoseLate, HistoryWriter } from './history-writer.js';
import { IntentBook } from './intent-book.js';
import type { LiveWorld } from './live-world.js';
import { laterTimestamp } from './later-timestamp.js';
import type { Owed, Recorded } from './owed.js';
import { TaskWriter } from './task-writer.js';

type UpdateTask = Extract<Change, { kind: 'update-task' }>;
type CreateTask = Extract<Change, { kind: 'create-task' }>;

/** The outbox entry that a change left open, if any, and why its history is late. */
type Step = { readonly seq: number | null; readonly late: Failure | null };

const NO_STEP: Step = { seq: null, late: null };

export type RecorderParts = {
  readonly world: LiveWorld;
  readonly store: TaskStore;
  readonly history: HistoryLog;
  readonly outbox: Outbox;
  readonly observer: TaskFileObserver;
  readonly paths: Paths;
  readonly files: Files;
  readonly firstSeq: number;
  /** Told of words that could not go into a task's file. */
  onKept(kept: Observation): void;
};

/**
 * Makes decisions durable and the world agree with them. The order is what makes a crash harmless:
 * the outbox entry comes first and counts only if TASK.md shows its `updated_at`; replacing TASK.md
 * is the commit point; the history follows; then effects.
 */
export class Recorder {
  readonly #parts: RecorderParts;
  readonly #history: HistoryWriter;
  /** Tasks that are marked because something of them is not written down. */
  readonly #late = new Set<string>();
  readonly #writer: TaskWriter;
  readonly #intents: IntentBook;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.#history = new HistoryWriter(parts);
    this.#writer = new TaskWriter(parts);
    this.#intents = new IntentBook(parts.outbox, parts.firstSeq);
  }

  record(decision: Decision, moment: Moment, requestId: string | null): Result<Recorded> {
    const recorded = this.#record(decision, moment, requestId);
    if (!recorded.ok && requestId === null) this.#noteRefusal(decision.taskId, recorded.failure);
    return recorded;
  }

  #record(decision: Decision, moment: Moment, requestId: string | null): Result<Recorded> {
    let seq: number | null = null;
    let late: Failure | null = null;
    const update = decision.changes.find((change) => change.kind === 'update-task');
    if (update === undefined && decision.effects.length > 0) {
      const { taskId, effects } = decision;
      const intent = {
        taskId: taskId ?? '',
        commit: null,
        sets: {},
        extensions: {},
        lines: [],
        effects,
        requestId,
      };
      const owed = this.#intents.write(intent);
      if (!owed.ok) return owed;
      seq = owed.value;
    }
    for (const change of decision.changes) {
      const done = this.#recordChange(change, decision, moment, requestId);
      if (!done.ok) return done;
      seq = done.value.seq ?? seq;
      late ??= done.value.late;
    }
    return success(
      late === null ? { seq, effects: decision.effects, late } : { seq: null, effects: [], late },
    );
  }

  #recordChange(
    change: Change,
    decision: Decision,
    moment: Moment,
    requestId: string | null,
  ): Result<Step> {
    switch (change.kind) {
      case 'create-task':
        return this.#createTask(change, moment);
      case 'update-task':
        return this.#updateTask(change, decision, moment, requestId);
      case 'delete-task':
        return this.#deleteTask(change.taskId);
      case 'quarantine':
        this.#setAside(change);
        return success(NO_STEP);
    }
  }

  #setAside({ workspace, reason, isHindered }: Extract<Change, { kind: 'quarantine' }>): void {
    this.#parts.world.quarantined.set(workspace, { reason, failures: 0, isHindered });
  }

  #createTask(change: CreateTask, moment: Moment): Result<Step> {
    const { fields, extensions } = change;
    const { body } = editBody('', change.sections);
    const lines = change.events.map((event) => formatEvent(event, moment.timestamp));
    const stored = this.#parts.store.create({ fields, extensions, body }, lines);
    if (!stored.ok) return stored;
    const { record: written } = stored.value;
    const { sections } = readSections(written.body);
    const task = restoreTask({
      fields: written.fields,
      extensions: written.extensions,
      context: sections.Context ?? null,
      artifacts: artifactsOf(sections),
      events: [],
      problems: [],
      now: moment.timestamp,
    });
    this.#parts.world.putTask({ ...task, ...change.runtime, isSettled: true });
    return success(NO_STEP);
  }

  #updateTask(
    change: UpdateTask,
    decision: Decision,
    moment: Moment,
    requestId: string | null,
  ): Result<Step> {
    const task = this.#parts.world.tasks.get(change.taskId);
    if (task === undefined) return success(NO_STEP);
    const updatedAt = writesFile(task, change)
      ? laterTimestamp(task.fields.updated_at, moment)
      : null;
    const lines = change.events.map((event) => formatEvent(event, updatedAt ?? moment.timestamp));
    const { effects } = decision;
    const { taskId: about, fields: sets, extensions } = change;
    const made = { commit: updatedAt, sets, extensions, lines };
    const intent = { taskId: about, ...made, effects, requestId };
    const owed = this.#intents.write(intent);
    if (!owed.ok) return owed;
    failpoint(`${kindOf(change)}.intent-written`);
    const written =
      updatedAt === null ? success(task) : this.#writer.write(task, change, updatedAt);
    if (!written.ok) {
      if (owed.value !== null) this.#intents.discard(owed.value, change.taskId);
      return written;
    }
    this.#parts.world.putTask({ ...written.value, ...change.runtime });
    failpoint(`${kindOf(change)}.committed`);
    const { project, id: taskId } = task.fields;
    const late = this.#history.append({
      project,
      taskId,
      lines,
      owed: { seq: owed.value, effects },
    });
    if (late !== null) {
      this.#markLate(taskId, this.#parts.paths.historyFile(project, taskId), late);
      return success({ seq: null, late });
    }
    failpoint(`${kindOf(change)}.history-appended`);
    if (effects.length === 0 && owed.value !== null) {
      this.#intents.clear(owed.value);
      return success(NO_STEP);
    }
    return success({ seq: owed.value, late: null });
  }

  /** Writes history that had to wait; what is owed for it can now be carried out. */
  retryLate(): { readonly owed: readonly Owed[]; readonly freed: readonly string[] } {
    this.#intents.retry();
    const owed = this.#history.retry();
    const freed = [...this.#late].filter((taskId) => this.lateBecause(taskId) === null);
    for (const taskId of freed) this.#markWritten(taskId);
    return { owed, freed };
  }

  /** Why what has happened to a task is not in its history yet; null when it is. */
  lateBecause(taskId: string): Failure | null {
    return this.#history.failureOf(taskId);
  }

  /** What cannot be written, for want of room or into a file that is whole, nobody could see there. */
  #noteRefusal(taskId: string | null, failure: Failure): void {
    const { store, paths, world } = this.#parts;
    const task = world.tasks.get(taskId ?? '');
    if (task === undefined || task.problems.some(isAboutFile)) return;
    const { project, id } = task.fields;
    const isWhole = (): boolean => store.read(project, id, 'claimed').ok;
    const isOurs = failure.kind === 'file-rejected' ? isWhole() : isMachineFault(failure);
    if (isOurs) this.#markLate(id, paths.taskFile(project, id), failure);
  }

  /** Until it is written down, a task is moved by nothing, and everybody sees why. */
  #markLate(taskId: string, file: string, failure: Failure): void {
    this.#late.add(taskId);
    const task = this.#parts.world.tasks.get(taskId);
    if (task === undefined) return;
    const problem = diagnoseLate(file, failure);
    const others = task.problems.filter((each) => !isAboutLateHistory(each));
    this.#parts.world.putTask({ ...task, problems: [...others, problem] });
  }

  #markWritten(taskId: string): void {
    this.#late.delete(taskId);
    const task = this.#parts.world.tasks.get(taskId);
    if (task === undefined) return;
    const problems = task.problems.filter((each) => !isAboutLateHistory(each));
    this.#parts.world.putTask({ ...task, problems });
  }

  #deleteTask(taskId: string): Result<Step> {
    const task = this.#parts.world.tasks.get(taskId);
    if (task === undefined) return success(NO_STEP);
    failpoint('delete.begun');
    const removed = this.#parts.store.remove(task.fields.project, taskId);
    if (!removed.ok) return removed;
    failpoint('delete.done');
    for (const { seq } of this.#history.forget(taskId)) {
      if (seq !== null) this.#intents.clear(seq);
    }
    this.#parts.observer.forget(taskId);
    this.#writer.forget(taskId);
    this.#parts.world.removeTask(taskId);
    return success(NO_STEP);
  }

  /** Forgets an outbox entry whose effects are done. */
  settle(seq: number): Result<void> {
    return this.#intents.clear(seq);
  }
}

/** What failpoints call a change. */
function kindOf({ fields }: UpdateTask): 'update' | 'move' | 'cancel' {
  if (fields.status === undefined) return 'update';
  return fields.status === 'cancelled' ? 'cancel' : 'move';
}

function writesFile(task: TaskState, change: UpdateTask): boolean {
  return (
    Object.keys(change.fields).length > 0 ||
    Object.keys(change.extensions).length > 0 ||
    change.sections.length > 0 ||
    change.lateEdit !== undefined ||
    change.anew !== undefined ||
    (task.claims !== null && change.runtime.claims === null)
  );
}
