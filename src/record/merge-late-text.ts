import {
  FIELD_NAMES,
  type FrontmatterValue,
  type TaskFields,
  type TaskRecord,
} from '../domain/task.js';
import type { TaskEdits } from './edit-task-file.js';
import { mergeBodies, type Conflict } from './merge-bodies.js';

export type LateMerge = { readonly edits: TaskEdits; readonly conflicts: readonly Conflict[] };

/**
 * What somebody changed in a copy of a task's file (from `base` to `late`), as edits of the file as it
 * is now. A field goes in as a claim, and only where the file still says what the copy was made from.
 */
export function mergeLateText(base: TaskRecord, current: TaskRecord, late: TaskRecord): LateMerge {
  const { body, conflicts } = mergeBodies(base.body, current.body, late.body);
  const edits = {
    fields: lateFields(base.fields, current.fields, late.fields),
    extensions: lateExtensions(base, current, late),
  };
  return { edits: body === current.body ? edits : { ...edits, body }, conflicts };
}

function lateFields(base: TaskFields, current: TaskFields, late: TaskFields): Partial<TaskFields> {
  const changed = FIELD_NAMES.filter(
    (name) => name !== 'updated_at' && late[name] !== base[name] && current[name] === base[name],
  );
  return Object.fromEntries(changed.map((name) => [name, late[name]]));
}

function lateExtensions(
  base: TaskRecord,
  current: TaskRecord,
  late: TaskRecord,
): Readonly<Record<string, FrontmatterValue>> {
  const changed = Object.keys(late.extensions).filter(
    (key) =>
      valueIn(late, key) !== valueIn(base, key) && valueIn(current, key) === valueIn(base, key),
  );
  return Object.fromEntries(changed.map((key) => [key, late.extensions[key] ?? null]));
}

function valueIn({ extensions }: TaskRecord, key: string): string {
  return JSON.stringify(extensions[key] ?? null);
}
