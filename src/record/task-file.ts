import type { Diagnostic } from '../domain/diagnostic.js';
import { DEFAULT_SETTINGS } from '../domain/settings.js';
import {
  FIELD_NAMES,
  type FieldName,
  type FrontmatterValue,
  type TaskFields,
  type TaskRecord,
} from '../domain/task.js';
import { checkExtensions } from './check-extensions.js';
import { formatScalar, formatValue } from './format-scalar.js';
import type { FrontmatterEntry } from './frontmatter-entry.js';
import { readFrontmatter } from './read-frontmatter.js';
import { splitFrontmatter } from './split-frontmatter.js';
import { readFields, type Names } from './task-fields.js';

/** What is known about a task from outside its file. */
export type TaskFileContext = {
  /** From the directory. */
  readonly expected?: { readonly id: string; readonly project: string };
  /** Whether the file must agree with that; it must unless the task is known. */
  readonly names?: Names;
  /** Stands in for missing times. */
  readonly now?: string;
  /** Stands in for a missing `harness`. */
  readonly harness?: string;
};

export type TaskFileReading =
  | { readonly ok: true; readonly record: TaskRecord; readonly diagnostics: readonly Diagnostic[] }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

const EPOCH = '1970-01-01T00:00:00Z';

/** Reads a TASK.md; an error anywhere in the frontmatter rejects the whole file. */
export function parseTaskFile(
  text: string,
  file: string,
  context: TaskFileContext = {},
): TaskFileReading {
  const split = splitFrontmatter(text, file);
  if (!split.ok) return split;
  const frontmatter = readFrontmatter(split.parts.frontmatter, file);
  if (!frontmatter.ok) return frontmatter;
  const { fields, diagnostics } = readFields(frontmatter.entries, {
    file,
    expected: context.expected ?? null,
    names: context.names ?? 'agree',
    now: context.now ?? EPOCH,
    harness: context.harness ?? DEFAULT_SETTINGS.harnessOrder[0] ?? '',
  });
  if (fields === null) return { ok: false, diagnostics };
  const extensionEntries = frontmatter.entries.filter((entry) => !isFieldName(entry.key));
  return {
    ok: true,
    record: { fields, extensions: extensionsOf(extensionEntries), body: split.parts.body },
    diagnostics: [
      ...frontmatter.diagnostics,
      ...diagnostics,
      ...checkExtensions(extensionEntries, file),
    ],
  };
}

/** The text of a task that has no file yet: the fourteen fields, the set extensions, the body. */
export function formatNewTask(record: TaskRecord): string {
  const lines = FIELD_NAMES.map((name) => `${name}: ${formatField(name, record.fields[name])}`);
  for (const [key, value] of Object.entries(record.extensions)) {
    if (value !== null) lines.push(`${formatScalar(key)}: ${formatValue(value)}`);
  }
  return `---\n${lines.join('\n')}\n---\n${record.body}`;
}

/** A field's value as it stands behind its colon. */
export function formatField(name: FieldName, value: TaskFields[FieldName]): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return String(value);
  const isTime = name === 'created_at' || name === 'updated_at';
  return isTime && PLAIN_TIME.test(value) ? value : formatScalar(value);
}

const PLAIN_TIME = /^[0-9TZ:.+-]+$/;

export function isFieldName(key: string): key is FieldName {
  return (FIELD_NAMES as readonly string[]).includes(key);
}

function extensionsOf(
  entries: readonly FrontmatterEntry[],
): Readonly<Record<string, FrontmatterValue>> {
  return Object.fromEntries(entries.map((entry) => [entry.key, entry.value]));
}
