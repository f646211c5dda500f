import { InternalError } from '../domain/failure.js';
import { failed, success, type Result } from '../domain/result.js';
import {
  FIELD_NAMES,
  type FieldName,
  type FrontmatterValue,
  type TaskFields,
  type TaskRecord,
} from '../domain/task.js';
import { formatScalar, formatValue } from './format-scalar.js';
import type { FrontmatterEntry } from './frontmatter-entry.js';
import { readFrontmatter } from './read-frontmatter.js';
import { splitFrontmatter, type FrontmatterParts } from './split-frontmatter.js';
import { formatField, isFieldName, parseTaskFile, type TaskFileContext } from './task-file.js';
import { RESERVED_KEY } from './yaml-value.js';

/** What to change in a TASK.md; everything not named keeps its bytes. */
export type TaskEdits = {
  readonly fields?: Partial<TaskFields>;
  /** null removes the key. */
  readonly extensions?: Readonly<Record<string, FrontmatterValue>>;
  readonly body?: string;
  /** What the edit takes out of the file; stored as transcripts before the file is replaced. */
  readonly transcripts?: readonly { readonly name: string; readonly text: string }[];
};

export type EditedTask = { readonly text: string; readonly record: TaskRecord };

type Splice = { readonly start: number; readonly end: number; readonly text: string };

/** Changes a task's text by splicing; the result has been read back before it is given. */
export function editTaskFile(
  text: string,
  edits: TaskEdits,
  source: { readonly file: string; readonly context?: TaskFileContext },
): Result<EditedTask> {
  const split = splitFrontmatter(text, source.file);
  if (!split.ok) return failed({ kind: 'file-rejected', diagnostics: split.diagnostics });
  const reading = readFrontmatter(split.parts.frontmatter, source.file);
  if (!reading.ok) return failed({ kind: 'file-rejected', diagnostics: reading.diagnostics });
  const frontmatter = applySplices(split.parts.frontmatter, [
    ...fieldSplices(edits.fields ?? {}, reading.entries, split.parts),
    ...extensionSplices(edits.extensions ?? {}, reading.entries, split.parts),
  ]);
  const edited = assemble(split.parts, frontmatter, edits.body ?? split.parts.body);
  const check = parseTaskFile(edited, source.file, source.context);
  if (!check.ok) return failed({ kind: 'file-rejected', diagnostics: check.diagnostics });
  return success({ text: edited, record: check.record });
}

function assemble(parts: FrontmatterParts, frontmatter: string, body: string): string {
  const needsLineEnding = body !== '' && !parts.fence.endsWith('\n');
  return `${parts.head}${frontmatter}${parts.fence}${needsLineEnding ? parts.lineEnding : ''}${body}`;
}

function fieldSplices(
  fields: Partial<TaskFields>,
  entries: readonly FrontmatterEntry[],
  parts: FrontmatterParts,
): readonly Splice[] {
  return FIELD_NAMES.flatMap((name) => {
    const value = fields[name];
    if (value === undefined) return [];
    const text = formatField(name, value);
    const entry = entries.find((candidate) => candidate.key === name);
    if (entry === undefined) {
      const at = placeFor(name, entries);
      return [{ start: at, end: at, text: `${name}: ${text}${parts.lineEnding}` }];
    }
    return isSaidAlready(entry, value) ? [] : [replaceValue(entry, text, parts.frontmatter)];
  });
}

function extensionSplices(
  extensions: Readonly<Record<string, FrontmatterValue>>,
  entries: readonly FrontmatterEntry[],
  parts: FrontmatterParts,
): readonly Splice[] {
  return Object.entries(extensions).flatMap(([key, value]) => {
    if (isFieldName(key) || key === RESERVED_KEY || key === '') {
      throw new InternalError(`not an extension key: ${JSON.stringify(key)}`);
    }
    const entry = entries.find((candidate) => candidate.key === key);
    if (entry === undefined) {
      if (value === null) return [];
      const at = parts.frontmatter.length;
      const text = `${formatScalar(key)}: ${formatValue(value)}${parts.lineEnding}`;
      return [{ start: at, end: at, text }];
    }
    if (value === null) return [{ start: entry.start, end: entry.end, text: '' }];
    return JSON.stringify(entry.value) === JSON.stringify(value)
      ? []
      : [replaceValue(entry, formatValue(value), parts.frontmatter)];
  });
}

function isSaidAlready(entry: FrontmatterEntry, value: TaskFields[FieldName]): boolean {
  return entry.value === (typeof value === 'number' ? String(value) : value);
}

/** Keeps the key, the space before the value and a comment behind it. */
function replaceValue(entry: FrontmatterEntry, text: string, frontmatter: string): Splice {
  const between = frontmatter.slice(entry.afterColon, entry.valueStart);
  const isEmpty = entry.valueStart === entry.valueEnd;
  if (isEmpty) return { start: entry.afterColon, end: entry.afterColon, text: ` ${text}` };
  return /^[ \t]+$/.test(between)
    ? { start: entry.valueStart, end: entry.valueEnd, text }
    : { start: entry.afterColon, end: entry.valueEnd, text: ` ${text}` };
}

/** Behind the nearest field that comes before it in the seed's order, else before all others. */
function placeFor(name: FieldName, entries: readonly FrontmatterEntry[]): number {
  const earlier = FIELD_NAMES.slice(0, FIELD_NAMES.indexOf(name)).toReversed();
  for (const candidate of earlier) {
    const entry = entries.find(({ key }) => key === candidate);
    if (entry !== undefined) return entry.end;
  }
  return entries.find(({ key }) => isFieldName(key))?.start ?? entries[0]?.start ?? 0;
}

function applySplices(text: string, splices: readonly Splice[]): string {
  let result = '';
  let at = 0;
  for (const splice of splices.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, splice.start) + splice.text;
    at = splice.end;
  }
  return result + text.slice(at);
}
