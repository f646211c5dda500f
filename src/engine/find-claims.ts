import { FIELD_NAMES, type Extensions, type FrontmatterValue } from '../domain/task.js';
import type { Claims, TaskState } from '../domain/world.js';

/** Whether the file says anything that the record does not. */
export function findClaims(
  task: Pick<TaskState, 'fields' | 'extensions' | 'context'>,
  file: Claims,
): Claims | null {
  const isSame =
    FIELD_NAMES.every((name) => task.fields[name] === file.fields[name]) &&
    sameExtensions(task.extensions, file.extensions) &&
    task.context === file.context;
  return isSame ? null : file;
}

function sameExtensions(one: Extensions, other: Extensions): boolean {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => sameValue(one[key], other[key]));
}

/** Whether two frontmatter values say the same. */
export function sameValue(
  one: FrontmatterValue | undefined,
  other: FrontmatterValue | undefined,
): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}
