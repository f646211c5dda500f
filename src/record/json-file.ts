import type { Diagnostic } from '../domain/diagnostic.js';
import { failed, success, type Result } from '../domain/result.js';
import type { Files } from '../ports.js';
import { errorAt } from './diagnostic-codes.js';
import { readJson, type JsonNode } from './read-json.js';

const MAX_JSON_BYTES = 4 * 1024 * 1024;

/** Collects what is wrong with the shape of one JSON file. */
export type ShapeReport = (node: JsonNode, message: string, fix: string) => void;

/** Reads JSON and its shape; any problem rejects the file as a whole, with every finding. */
export function parseJsonFile<T>(
  text: string,
  file: string,
  read: (root: JsonNode, report: ShapeReport) => T,
): Result<T> {
  const reading = readJson(text);
  if (!reading.ok) {
    const message = `not valid JSON: ${reading.problem}`;
    const fix = 'correct the line by hand, or restore the file; orange will not overwrite it';
    const diagnostic = errorAt('ORA070', { file, line: reading.line, message, fix });
    return failed({ kind: 'file-rejected', diagnostics: [diagnostic] });
  }
  const diagnostics: Diagnostic[] = [];
  const value = read(reading.root, (node, message, fix) => {
    diagnostics.push(errorAt('ORA071', { file, line: node.line, message, fix }));
  });
  return diagnostics.length === 0 ? success(value) : failed({ kind: 'file-rejected', diagnostics });
}

/** One JSON file of the home, never taken for empty and never overwritten while it is unreadable. */
export type JsonFile<T> = {
  /** A file that does not exist is `whenAbsent`; one that cannot be read is a failure. */
  read(): Result<T>;
  write(value: T): Result<void>;
};

export function createJsonFile<T>(
  files: Files,
  path: string,
  codec: {
    readonly parse: (text: string, file: string) => Result<T>;
    readonly format: (value: T) => string;
    readonly whenAbsent: T;
  },
): JsonFile<T> {
  let last: { readonly text: string; readonly parsed: Result<T> } | null = null;
  const read = (): Result<T> => {
    const state = files.stat(path);
    if (!state.ok) return state;
    if (state.value.kind === 'absent') return success(codec.whenAbsent);
    const file = files.readText(path, MAX_JSON_BYTES);
    if (!file.ok) return file;
    const { text } = file.value;
    // It is read again and again, and seldom says anything new.
    if (last?.text !== text) last = { text, parsed: codec.parse(text, path) };
    return last.parsed;
  };
  const write = (value: T): Result<void> => {
    const current = read();
    if (!current.ok) return current;
    const written = files.replace(path, codec.format(value));
    return written.ok ? success(undefined) : written;
  };
  return { read, write };
}
