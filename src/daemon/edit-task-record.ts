import type { Change, SectionEdit } from '../domain/decision.js';
import { keptWordsName } from '../domain/kept-words.js';
import {
  FIELD_NAMES,
  type FieldName,
  type FrontmatterValue,
  type TaskFields,
  type TaskRecord,
} from '../domain/task.js';
import type { TaskState } from '../domain/world.js';
import { baseOfCopy, isStillMeant } from '../engine/claims-origin.js';
import { sameValue } from '../engine/find-claims.js';
import type { TaskEdits } from '../record/edit-task-file.js';
import type { Conflict, MergedBody } from '../record/merge-bodies.js';
import { mergeLateText, type LateMerge } from '../record/merge-late-text.js';
import { editBody } from './edit-body.js';

type UpdateTask = Extract<Change, { kind: 'update-task' }>;

/** What is written, and where the words of others stood against it. */
export type RecordEdits = TaskEdits & { readonly conflicts: readonly Conflict[] };

/**
 * What to write into a task's file as it is on disk now. A hand's edit that has not been judged yet
 * stays in the file as a claim; a decision about claims, and a copy from before the last write, put
 * every field right.
 */
export function editTaskRecord(
  write: {
    readonly task: TaskState;
    readonly change: UpdateTask;
    readonly updatedAt: string;
    /** The file's body with what orange wrote and an older copy lacks. */
    readonly own?: MergedBody;
  },
  current: TaskRecord,
): RecordEdits {
  const { task, change, updatedAt, own = { body: current.body, conflicts: [] } } = write;
  const isStale = current.fields.updated_at < task.fields.updated_at;
  const old = putOldRight(task, current);
  const owned = resolvesClaims(change) ? task.fields : old.fields;
  const late = mergeLate(change, { ...current, body: own.body });
  const sections = [...change.sections, ...staleReview(task, current, updatedAt)];
  const { body, transcripts } = editBody(late.edits.body ?? own.body, sections, current.body);
  const conflicts = [...own.conflicts, ...late.conflicts];
  const edits: RecordEdits = {
    fields: {
      ...late.edits.fields,
      ...owned,
      ...change.fields,
      ...(isStale ? {} : statusAskedFor(task, change, current)),
      updated_at: updatedAt,
    },
    extensions: {
      ...late.edits.extensions,
      ...old.extensions,
      ...extensionEdits(change, current),
    },
    transcripts: [...transcripts, ...keptWords(updatedAt, conflicts)],
    conflicts,
  };
  return body === current.body ? edits : { ...edits, body };
}

/** An agent that is quicker than the record of its start may have asked for a status: that stays asked. */
function statusAskedFor(
  { fields }: TaskState,
  change: UpdateTask,
  current: TaskRecord,
): Pick<TaskFields, 'status'> | Record<string, never> {
  const isOpening = fields.status === 'pending' && change.fields.status === 'planning';
  return isOpening && current.fields.status !== 'pending' ? { status: current.fields.status } : {};
}

function mergeLate(change: UpdateTask, current: TaskRecord): LateMerge {
  const { lateEdit } = change;
  if (lateEdit === undefined) return { edits: {}, conflicts: [] };
  return mergeLateText(lateEdit.base, current, lateEdit.late);
}

function keptWords(
  updatedAt: string,
  conflicts: readonly Conflict[],
): NonNullable<TaskEdits['transcripts']> {
  if (conflicts.length === 0) return [];
  const text = conflicts.map((each) => `${each.text.trimEnd()}\n`).join('\n');
  return [{ name: keptWordsName('late-edit', updatedAt), text }];
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
  const { status = task.fields.status } = change.fields;
  const fields: TaskFields = { ...task.fields, ...Object.fromEntries(changed), status };
  const extensions: Record<string, FrontmatterValue> = { ...task.extensions };
  for (const key of Object.keys(change.extensions)) {
    const value = written.extensions[key];
    if (value === undefined) delete extensions[key];
    else extensions[key] = value;
  }
  return { fields, extensions };
}

/** What of a copy from before the last write is merely old; all its fields, where nobody can say. */
function putOldRight(
  task: TaskState,
  { fields, extensions }: TaskRecord,
): Required<Pick<TaskEdits, 'fields' | 'extensions'>> {
  if (fields.updated_at >= task.fields.updated_at) return { fields: {}, extensions: {} };
  const base = baseOfCopy(task, fields);
  if (base === null) return { fields: task.fields, extensions: {} };
  const isOld = (name: FieldName): boolean =>
    fields[name] === base.fields[name] || (name === 'status' && !isStillMeant(task, base));
  const names = FIELD_NAMES.filter(isOld);
  const oldKeys = [
    ...new Set([...Object.keys(task.extensions), ...Object.keys(extensions)]),
  ].filter(
    (key) =>
      sameValue(extensions[key], base.extensions[key]) &&
      !sameValue(extensions[key], task.extensions[key]),
  );
  return {
    fields: Object.fromEntries(names.map((name) => [name, task.fields[name]])),
    extensions: Object.fromEntries(oldKeys.map((key) => [key, task.extensions[key] ?? null])),
  };
}

function resolvesClaims(change: UpdateTask): boolean {
  return change.runtime.claims === null;
}

/** A copy from before this round of review must not bring back the verdict of the last one. */
function staleReview(
  { fields }: TaskState,
  { fields: found }: TaskRecord,
  updatedAt: string,
): readonly SectionEdit[] {
  if (fields.status !== 'agent-review' || found.review_round >= fields.review_round) return [];
  const transcript = keptWordsName(`review-${found.review_round}-again`, updatedAt);
  return [{ kind: 'move-out', section: 'Review', transcript }];
}

function extensionEdits(change: UpdateTask, current: TaskRecord): Record<string, FrontmatterValue> {
  const edits = Object.entries(change.extensions).filter(
    ([key, value]) => value !== null || current.extensions[key] !== undefined,
  );
  return Object.fromEntries(edits);
}
