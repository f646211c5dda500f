import { FIELD_NAMES, type TaskRecord } from '../domain/task.js';
import { isContained, mergeBodies, type Conflict } from './merge-bodies.js';
import { mergeLateText, type LateMerge } from './merge-late-text.js';

/** What orange itself knows of a task: a file that says that says nothing of its own. */
type Known = Pick<TaskRecord, 'fields' | 'extensions'>;

type Sides = {
  /** The copy, and the file as it is now. */
  readonly copy: TaskRecord;
  readonly current: TaskRecord;
  readonly known: Known;
};

/**
 * What a copy says together with what was written into the file beside it, as edits of the file as it
 * is now; null when nothing was. `base` is what the copy was made from. Both have orange's own words.
 */
export function mergeCopy(base: TaskRecord, { copy, current, known }: Sides): LateMerge | null {
  // A copy may leave out what was there; what was written beside it takes nothing out.
  const { body, conflicts } = mergeBodies(base.body, copy.body, current.body);
  const was = valuesOf(base);
  const said = changedValues(valuesOf(current), [was, valuesOf(known), valuesOf(copy)]);
  if (body === copy.body && conflicts.length === 0 && said.length === 0) return null;
  const wanted = valuesOf(copy);
  const lost = said
    .map(([key]) => ({ key, value: wanted.get(key) }))
    .filter(({ key, value }) => value !== undefined && value !== was.get(key))
    .map(({ key, value }): Conflict => ({ heading: '', text: `${key}: ${value}` }));
  const { edits } = mergeLateText(bare(base), bare(current), bare(copy));
  return { edits: { ...edits, body }, conflicts: [...conflicts, ...lost] };
}

/** Whether a file says something that neither a copy of it does nor orange knows. */
export function saysMore({ copy, current, known }: Sides): boolean {
  if (!isContained(current.body, copy.body)) return true;
  // What orange has written since the copy was made is no other hand's.
  const isSame = current.fields.updated_at === copy.fields.updated_at;
  const others = isSame ? [valuesOf(copy)] : [valuesOf(copy), valuesOf(known)];
  return changedValues(valuesOf(current), others).length > 0;
}

type Values = ReadonlyMap<string, string>;

/** The values of a frontmatter that are somebody's wish; when it was written last is not. */
function valuesOf({ fields, extensions }: Known): Values {
  const names = FIELD_NAMES.filter((name) => name !== 'updated_at');
  return new Map([
    ...names.map((name) => [name, JSON.stringify(fields[name])] as const),
    ...Object.entries(extensions).map(([key, value]) => [key, JSON.stringify(value)] as const),
  ]);
}

function changedValues(
  values: Values,
  others: readonly Values[],
): readonly (readonly [string, string])[] {
  return [...values].filter(([key, value]) => others.every((other) => other.get(key) !== value));
}

function bare(record: TaskRecord): TaskRecord {
  return { ...record, body: '' };
}
