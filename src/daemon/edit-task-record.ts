import type { Change } from '../domain/decision.js';
import type { FrontmatterValue, TaskFields, TaskRecord } from '../domain/task.js';
import type { TaskState } from '../domain/world.js';
import type { TaskEdits } from '../record/edit-task-file.js';
import { removeSection } from '../record/sections.js';
import { editBody } from './edit-body.js';

type UpdateTask = Extract<Change, { kind: 'update-task' }>;

/**
 * What to write into a task's file as it is on disk now. A hand's edit that has not been judged yet
 * stays in the file as a claim; a decision about claims, and a copy from before the last write, put
 * every field right.
 */
export function editTaskRecord(
  write: { readonly task: TaskState; readonly change: UpdateTask; readonly updatedAt: string },
  current: TaskRecord,
): TaskEdits {
  const { task, change, updatedAt } = write;
  const isStale = current.fields.updated_at < task.fields.updated_at;
  const owned = isStale || resolvesClaims(change) ? task.fields : {};
  const fields = { ...owned, ...change.fields, updated_at: updatedAt };
  const extensions = extensionEdits(change, current);
  const edited = editBody(current.body, change.sections);
  const body = bringsBackReview(task, current) ? removeSection(edited, 'Review').body : edited;
  return body === current.body ? { fields, extensions } : { fields, extensions, body };
}

/** What the record says after the write: the engine's own values, not what a hand left beside them. */
export function knownAfterWrite(
  task: TaskState,
  change: UpdateTask,
  written: TaskRecord,
): Pick<TaskState, 'fields' | 'extensions'> {
  if (resolvesClaims(change)) return { fields: written.fields, extensions: written.extensions };
  const names = new Set([...Object.keys(change.fields), 'updated_at']);
  const changed = Object.entries(written.fields).filter(([name]) => names.has(name));
  const fields: TaskFields = { ...task.fields, ...Object.fromEntries(changed) };
  const extensions: Record<string, FrontmatterValue> = { ...task.extensions };
  for (const key of Object.keys(change.extensions)) {
    const value = written.extensions[key];
    if (value === undefined) delete extensions[key];
    else extensions[key] = value;
  }
  return { fields, extensions };
}

function resolvesClaims(change: UpdateTask): boolean {
  return change.runtime.claims === null;
}

/** A copy from before this round of review must not bring back the verdict of the last one. */
function bringsBackReview({ fields }: TaskState, current: TaskRecord): boolean {
  return fields.status === 'agent-review' && current.fields.review_round < fields.review_round;
}

function extensionEdits(change: UpdateTask, current: TaskRecord): Record<string, FrontmatterValue> {
  const edits = Object.entries(change.extensions).filter(
    ([key, value]) => value !== null || current.extensions[key] !== undefined,
  );
  return Object.fromEntries(edits);
}
