import type { Change } from '../domain/decision.js';
import type { Observation } from '../domain/observation.js';
import { success, type Result } from '../domain/result.js';
import { keptWordsName } from '../domain/kept-words.js';
import { isTerminal } from '../domain/status.js';
import type { TaskRecord } from '../domain/task.js';
import type { OwnWrite, TaskState } from '../domain/world.js';
import { isForeignTime } from '../engine/claims-origin.js';
import { findClaims } from '../engine/find-claims.js';
import type { TaskFileObserver } from '../observe/task-file-observer.js';
import type { Files } from '../ports.js';
import type { TaskEdits } from '../record/edit-task-file.js';
import type { StoredTask } from '../record/create-task-folder.js';
import type { Conflict } from '../record/merge-bodies.js';
import type { Paths } from '../record/paths.js';
import { artifactsOf, readSections } from '../record/sections.js';
import type { TaskStore } from '../record/task-store.js';
import { editTaskRecord, knownAfterWrite } from './edit-task-record.js';
import { OwnEdits } from './own-edits.js';
import { noteOwnWrite, type OwnWriteNote } from './own-writes.js';
import { restoreUrgently, rewriteLostFile } from './restore-task-file.js';

type UpdateTask = Extract<Change, { kind: 'update-task' }>;

export type TaskWriterParts = {
  readonly store: TaskStore;
  readonly observer: TaskFileObserver;
  readonly paths: Paths;
  readonly files: Files;
  onKept(kept: Observation): void;
};

type Written = StoredTask & {
  /** The file as it was found, and what of it orange's own words stood against. */
  readonly found: TaskRecord;
  readonly conflicts: readonly Conflict[];
};

/** Writes a change into a task's file, beside whoever else writes there. */
export class TaskWriter {
  readonly #parts: TaskWriterParts;
  readonly #ownEdits: OwnEdits;

  constructor(parts: TaskWriterParts) {
    this.#parts = parts;
    this.#ownEdits = new OwnEdits(parts);
  }

  /** The task as it is known after the write. */
  write(task: TaskState, change: UpdateTask, updatedAt: string): Result<TaskState> {
    const { project, id } = task.fields;
    for (const { name, text } of change.transcripts) {
      const kept = this.#parts.store.writeTranscript({ project, id, name, text });
      if (!kept.ok) return kept;
    }
    if (change.anew !== undefined) {
      return rewriteLostFile(this.#parts, task, { body: change.anew, updatedAt });
    }
    const stored = this.#store(task, change, updatedAt);
    if (!stored.ok) {
      const { failure } = stored;
      return restoreUrgently(this.#parts, task, { change, updatedAt, failure });
    }
    this.#noteOwnWords(id, { ...stored.value, change, updatedAt });
    const { record: written, found, stamp } = stored.value;
    const { sections } = readSections(written.body);
    const onDisk = sections.Context ?? null;
    const context = change.runtime.context === undefined ? task.context : onDisk;
    const known = { ...knownAfterWrite(task, change, written), context };
    const { fields, extensions } = written;
    const next: TaskState = {
      ...task,
      ...known,
      artifacts: written.body === found.body ? task.artifacts : artifactsOf(sections),
      claims: findClaims(known, { fields, extensions, context: onDisk }),
      ownWrites: this.#noteWrite(task, {
        record: { fields, extensions },
        status: known.fields.status,
      }),
    };
    this.#parts.observer.noteWrite(next, { stamp, body: written.body });
    if (isTerminal(next.fields.status)) this.forget(id);
    return success(next);
  }

  forget(taskId: string): void {
    this.#ownEdits.forget(taskId);
  }

  #store(task: TaskState, change: UpdateTask, updatedAt: string): Result<Written> {
    const { project, id } = task.fields;
    let found: TaskRecord = { fields: task.fields, extensions: task.extensions, body: '' };
    let conflicts: readonly Conflict[] = [];
    const stored = this.#parts.store.write(project, id, (current): TaskEdits => {
      const own = this.#ownEdits.reapply(id, current, ageOf(task, current));
      const edits = editTaskRecord({ task, change, updatedAt, own }, current);
      found = current;
      conflicts = edits.conflicts;
      return edits;
    });
    if (stored.ok) return success({ ...stored.value, found, conflicts });
    // A write may fail after the file is in its place, when the directory cannot be synced.
    const now = this.#parts.store.read(project, id, 'claimed');
    const isThere = now.ok && now.value.record.fields.updated_at === updatedAt;
    return isThere ? success({ ...now.value, found, conflicts }) : stored;
  }

  /** Of a task that is over nothing more is remembered. */
  #noteWrite(task: TaskState, write: OwnWriteNote): readonly OwnWrite[] {
    return isTerminal(write.status) ? [] : noteOwnWrite(this.#parts, task, write);
  }

  #noteOwnWords(
    taskId: string,
    write: Written & { readonly change: UpdateTask; readonly updatedAt: string },
  ): void {
    const { record, found, conflicts, change, updatedAt } = write;
    const isLate = change.lateEdit !== undefined;
    if (change.sections.length > 0 || isLate) {
      const words = isLate ? 'late' : 'own';
      this.#ownEdits.note(taskId, { updatedAt, words, before: found.body, after: record.body });
    }
    if (conflicts.length === 0) return;
    const transcript = keptWordsName('late-edit', updatedAt);
    const sections = conflicts.map(({ heading }) => heading);
    this.#parts.onKept({ kind: 'edit-kept', taskId, transcript, sections });
  }
}

/** Whether it is known when a file was read that has been saved since. */
function ageOf(task: TaskState, { fields }: TaskRecord): 'known' | 'unknown' {
  return isForeignTime(task, fields.updated_at) ? 'unknown' : 'known';
}
