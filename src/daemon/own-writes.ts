import { FIELD_NAMES, type TaskRecord } from '../domain/task.js';
import type { OwnWrite, TaskState } from '../domain/world.js';
import type { Files } from '../ports.js';
import type { Paths } from '../record/paths.js';

/** What a write left in a file, and the status of the task from then on. */
export type OwnWriteNote = {
  readonly record: Omit<TaskRecord, 'body'>;
  readonly status: TaskState['fields']['status'];
};

type Parts = { readonly files: Files; readonly paths: Paths };

const MAX_WRITES = 16;
const MAX_BYTES = 1024 * 1024;

/**
 * What the file of a task said after each of the last times orange wrote it: by that it is known how
 * old a copy is, and what of it its writer has changed. Kept beside the words, and as long as they.
 */
export function noteOwnWrite(
  { files, paths }: Parts,
  task: TaskState,
  write: OwnWriteNote,
): readonly OwnWrite[] {
  const { fields, extensions } = write.record;
  const before: OwnWrite = {
    fields: task.fields,
    extensions: task.extensions,
    status: task.fields.status,
  };
  const known = task.ownWrites ?? [before];
  const writes = [...known, { fields, extensions, status: write.status }].slice(-MAX_WRITES);
  const texts = writes.map((each) => JSON.stringify(each));
  while (texts.length > 0 && Buffer.byteLength(texts.join()) > MAX_BYTES - 2) texts.shift();
  const made = files.makeDirectory(paths.ownEditsDir, 'until-reboot');
  const { id } = task.fields;
  if (made.ok) files.replace(paths.ownWritesFile(id), `[${texts.join()}]`, 'until-reboot');
  return writes;
}

/** What an earlier daemon noted of a task; nothing where that cannot be known. */
export function readOwnWrites(
  { files, paths }: Parts,
  taskId: string,
): Pick<TaskState, 'ownWrites'> {
  const read = files.readText(paths.ownWritesFile(taskId), MAX_BYTES);
  const ownWrites = read.ok ? parseWrites(read.value.text) : [];
  return ownWrites.length === 0 ? {} : { ownWrites };
}

/** A file that a crash of the machine has left damaged says nothing. */
function parseWrites(text: string): readonly OwnWrite[] {
  try {
    const writes: unknown = JSON.parse(text);
    return Array.isArray(writes) && writes.every(isOwnWrite) ? writes : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function isOwnWrite(value: unknown): value is OwnWrite {
  if (!isObject(value)) return false;
  const { fields, extensions, status } = value;
  if (!isObject(fields) || !isObject(extensions) || typeof status !== 'string') return false;
  return typeof fields['updated_at'] === 'string' && FIELD_NAMES.every((name) => name in fields);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
