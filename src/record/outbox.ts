import { join } from 'node:path';
import type { Diagnostic } from '../domain/diagnostic.js';
import { failpoint } from '../domain/failpoint.js';
import { isMachineFault } from '../domain/is-machine-fault.js';
import type { JsonValue } from '../domain/json.js';
import { success, type Result } from '../domain/result.js';
import type { Files } from '../ports.js';
import { errorAt } from './diagnostic-codes.js';
import type { Paths } from './paths.js';
import { isJsonMap } from './read-json.js';

const MAX_ENTRY_BYTES = 16 * 1024 * 1024;

/** An intent: what a move still owes once its TASK.md has been replaced. */
export type OutboxEntry = {
  readonly seq: number;
  readonly taskId: string;
  /** The `updated_at` that TASK.md must show for the entry to count; null always counts. */
  readonly commit: string | null;
  /** Formatted history lines. */
  readonly events: readonly string[];
  readonly effects: readonly JsonValue[];
  readonly requestId: string | null;
};

export type Outbox = {
  write(entry: OutboxEntry): Result<void>;
  remove(seq: number): Result<void>;
  /** Entries in order; files that are none are reported and left alone. */
  list(): Result<{
    readonly entries: readonly OutboxEntry[];
    /** Numbers of entries that a kill left half written: nothing was begun on their account. */
    readonly torn: readonly number[];
    readonly damaged: readonly Diagnostic[];
  }>;
};

export function createOutbox({ files, paths }: { files: Files; paths: Paths }): Outbox {
  const fileOf = (seq: number): string =>
    join(paths.outboxDir, `${String(seq).padStart(12, '0')}.json`);
  return {
    write: (entry) => {
      const made = files.makeDirectory(paths.outboxDir);
      if (!made.ok) return made;
      return files.create(fileOf(entry.seq), `${JSON.stringify(entry)}\n`);
    },
    remove: (seq) => {
      failpoint('outbox.before-removal');
      const removed = files.remove(fileOf(seq));
      failpoint('outbox.removed');
      return removed;
    },
    list: () => {
      const names = listNames(files, paths.outboxDir);
      if (!names.ok) return names;
      const entries: OutboxEntry[] = [];
      const torn: number[] = [];
      const damaged: Diagnostic[] = [];
      for (const name of names.value) {
        const file = join(paths.outboxDir, name);
        const text = files.readText(file, MAX_ENTRY_BYTES);
        // What cannot be read now must not be passed over: it may owe something to its task.
        if (!text.ok && isMachineFault(text.failure)) return text;
        const seq = numberOf(name);
        if (text.ok && seq !== null && !text.value.text.endsWith('\n')) {
          torn.push(seq);
          continue;
        }
        const entry = text.ok ? parseEntry(text.value.text) : null;
        if (entry !== null && fileOf(entry.seq) === file) entries.push(entry);
        else damaged.push(damagedEntry(file));
      }
      return success({ entries: entries.toSorted((a, b) => a.seq - b.seq), torn, damaged });
    },
  };
}

function listNames(files: Files, directory: string): Result<readonly string[]> {
  const state = files.stat(directory);
  if (!state.ok) return state;
  if (state.value.kind === 'absent') return success([]);
  const names = files.list(directory);
  return names.ok ? success(names.value.filter((name) => !name.startsWith('.'))) : names;
}

function numberOf(name: string): number | null {
  const digits = /^(\d{12})\.json$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
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
    Array.isArray(entry['events']) &&
    entry['events'].every((line) => typeof line === 'string' && !line.includes('\n')) &&
    Array.isArray(entry['effects']) &&
    isTextOrNull(entry['requestId'])
  );
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}
