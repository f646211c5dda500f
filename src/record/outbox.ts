import { join } from 'node:path';
import type { Diagnostic } from '../domain/diagnostic.js';
import { failpoint } from '../domain/failpoint.js';
import type { Failure } from '../domain/failure.js';
import { isMachineFault } from '../domain/is-machine-fault.js';
import type { JsonValue } from '../domain/json.js';
import { DONE, success, type Result } from '../domain/result.js';
import type { Files } from '../ports.js';
import { errorAt } from './diagnostic-codes.js';
import type { Paths } from './paths.js';
import { isJsonMap } from './read-json.js';

const MAX_ENTRY_BYTES = 16 * 1024 * 1024;
/** Files whose entries are done with and that the next ones are written into. */
const MAX_SPARE_FILES = 8;

/** An intent: what a move still owes once its TASK.md has been replaced. */
export type OutboxEntry = {
  readonly seq: number;
  readonly taskId: string;
  /** The `updated_at` that TASK.md shows once the entry counts; null always counts. */
  readonly commit: string | null;
  /** The fields that it sets, by which it is known where somebody else wrote an `updated_at`. */
  readonly sets?: Readonly<Record<string, JsonValue>>;
  /** The extensions that it sets beside them; null removes one. */
  readonly extensions?: Readonly<Record<string, JsonValue>>;
  /** Formatted history lines. */
  readonly events: readonly string[];
  readonly effects: readonly JsonValue[];
  readonly requestId: string | null;
};

export type Outbox = {
  write(entry: OutboxEntry): Result<void>;
  /** Takes away an entry that was written or listed here; others are not there. */
  remove(seq: number): Result<void>;
  /** Entries in order; files that are none are reported and left alone. */
  list(): Result<{
    readonly entries: readonly OutboxEntry[];
    /** Files that are empty or that a kill left half written: nothing was begun on their account. */
    readonly torn: readonly string[];
    readonly damaged: readonly Diagnostic[];
    /** The first number that neither an entry nor a file has. */
    readonly nextSeq: number;
  }>;
};

/**
 * One file per entry, called after the first entry that it held: a file whose entry is done with is
 * emptied and taken for a later one, since to make and to name one costs as much as to write it.
 */
export function createOutbox({ files, paths }: { files: Files; paths: Paths }): Outbox {
  /** Where each entry is, or may be when it could not be written. */
  const places = new Map<number, string>();
  const spares: string[] = [];

  /** False when there is no file that can be filled. */
  const fillSpare = (seq: number, text: string): Result<boolean> => {
    const spare = spares.pop();
    if (spare === undefined) return success(false);
    places.set(seq, spare);
    const filled = files.fill(spare, text);
    if (filled.ok) return success(true);
    const removed = files.remove(spare);
    return removed.ok ? success(false) : filled;
  };

  return {
    write: (entry) => {
      const text = `${JSON.stringify(entry)}\n`;
      const filled = fillSpare(entry.seq, text);
      if (!filled.ok) return filled;
      if (filled.value) return DONE;
      const made = files.makeDirectory(paths.outboxDir);
      if (!made.ok) return made;
      const file = join(paths.outboxDir, `${String(entry.seq).padStart(12, '0')}.json`);
      const created = files.create(file, text);
      // What somebody else put there is not this entry.
      const isForeign = !created.ok && isTaken(created.failure);
      if (!isForeign) places.set(entry.seq, file);
      return created;
    },
    remove: (seq) => {
      const file = places.get(seq);
      if (file === undefined) return DONE;
      failpoint('outbox.before-removal');
      const isSpare = spares.length < MAX_SPARE_FILES && files.empty(file).ok;
      const removed = isSpare ? DONE : files.remove(file);
      if (isSpare) spares.push(file);
      if (removed.ok) places.delete(seq);
      failpoint('outbox.removed');
      return removed;
    },
    list: () => {
      const listed = listFiles(files, paths.outboxDir, places);
      if (!listed.ok) return listed;
      const { located, ...rest } = listed.value;
      for (const { entry, file } of located) places.set(entry.seq, file);
      const entries = located.map(({ entry }) => entry);
      return success({ entries: entries.toSorted((a, b) => a.seq - b.seq), ...rest });
    },
  };
}

type Listing = {
  readonly located: readonly { readonly entry: OutboxEntry; readonly file: string }[];
  readonly torn: readonly string[];
  readonly damaged: readonly Diagnostic[];
  readonly nextSeq: number;
};

/** `places` tells where entries are known to be: what says the same elsewhere is a copy. */
function listFiles(
  files: Files,
  directory: string,
  places: ReadonlyMap<number, string>,
): Result<Listing> {
  const names = listNames(files, directory);
  if (!names.ok) return names;
  const located = new Map<number, { readonly entry: OutboxEntry; readonly file: string }>();
  const torn: string[] = [];
  const damaged: Diagnostic[] = [];
  const isCopy = ({ seq }: OutboxEntry, file: string): boolean =>
    located.has(seq) || (places.get(seq) ?? file) !== file;
  for (const name of names.value) {
    const file = join(directory, name);
    const read = readEntry(files, file, name);
    if (!read.ok) return read;
    const entry = read.value;
    if (entry === 'torn') torn.push(file);
    else if (entry === 'damaged' || isCopy(entry, file)) damaged.push(damagedEntry(file));
    else located.set(entry.seq, { entry, file });
  }
  const numbers = [...located.keys(), ...names.value.map(numberOf)];
  const nextSeq = Math.max(0, ...numbers) + 1;
  return success({ located: [...located.values()], torn, damaged, nextSeq });
}

function readEntry(
  files: Files,
  file: string,
  name: string,
): Result<OutboxEntry | 'torn' | 'damaged'> {
  const text = files.readText(file, MAX_ENTRY_BYTES);
  // What cannot be read now must not be passed over: it may owe something to its task.
  if (!text.ok) return isMachineFault(text.failure) ? text : success('damaged');
  if (isEntryName(name) && !text.value.text.endsWith('\n')) return success('torn');
  return success(parseEntry(text.value.text) ?? 'damaged');
}

function numberOf(name: string): number {
  return Number(/^(\d{1,15})\.json$/.exec(name)?.[1] ?? 0);
}

function isTaken(failure: Failure): boolean {
  return failure.kind === 'io-failed' && failure.code === 'EEXIST';
}

function listNames(files: Files, directory: string): Result<readonly string[]> {
  const state = files.stat(directory);
  if (!state.ok) return state;
  if (state.value.kind === 'absent') return success([]);
  const names = files.list(directory);
  return names.ok ? success(names.value.filter((name) => !name.startsWith('.'))) : names;
}

function isEntryName(name: string): boolean {
  return /^\d{12,15}\.json$/.test(name);
}

function damagedEntry(file: string): Diagnostic {
  return errorAt('ORA090', {
    file,
    line: 1,
    message: 'the outbox entry cannot be read',
    fix: 'look at the task it belongs to, then remove the file',
  });
}

function parseEntry(text: string): OutboxEntry | null {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  return isEntry(value) ? value : null;
}

function isEntry(entry: JsonValue): entry is JsonValue & OutboxEntry {
  if (!isJsonMap(entry)) return false;
  return (
    Number.isSafeInteger(entry['seq']) &&
    Number(entry['seq']) >= 0 &&
    typeof entry['taskId'] === 'string' &&
    isTextOrNull(entry['commit']) &&
    isMapOrAbsent(entry['sets']) &&
    isMapOrAbsent(entry['extensions']) &&
    Array.isArray(entry['events']) &&
    entry['events'].every((line) => typeof line === 'string' && !line.includes('\n')) &&
    Array.isArray(entry['effects']) &&
    isTextOrNull(entry['requestId'])
  );
}

function isMapOrAbsent(value: JsonValue | undefined): boolean {
  return value === undefined || isJsonMap(value);
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}
