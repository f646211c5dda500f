import type { EventDraft, HistoryEvent } from '../domain/history-event.js';
import type { JsonValue } from '../domain/json.js';
import { success, type Result } from '../domain/result.js';
import type { Files } from '../ports.js';
import { isJsonMap, type JsonMap } from './read-json.js';

const MAX_HISTORY_BYTES = 512 * 1024 * 1024;
const LARGE_LENGTH = 1024 * 1024;
/** A hundred thousand events and more; what is read at once must fit into a small daemon. */
const FULL_BYTES = 32 * 1024 * 1024;

export type History = {
  readonly events: readonly HistoryEvent[];
  /** Lines that are no events; the others are read all the same. */
  readonly damage: readonly { readonly line: number; readonly text: string }[];
  /** A last line that was never finished. */
  readonly tornTail: string | null;
};

const NO_HISTORY: History = { events: [], damage: [], tornTail: null };

/**
 * Reads a history line by line. With `wanted`, whole lines as orange writes them are passed over
 * unread unless they are of one of these types, but for the last: it tells until when there are any.
 */
export function parseHistory(text: string, wanted: ReadonlySet<string> | null = null): History {
  const events: HistoryEvent[] = [];
  const damage: { line: number; text: string }[] = [];
  let tornTail: string | null = null;
  let number = 0;
  for (let start = 0; start < text.length; ) {
    const lineBreak = text.indexOf('\n', start);
    const end = lineBreak === -1 ? text.length : lineBreak;
    number += 1;
    const isLast = end + 1 >= text.length;
    if (wanted === null || isLast || !isOfOtherType(text, start, end, wanted)) {
      const line = text.slice(start, end);
      const event = parseEvent(line);
      if (event !== null) events.push(event);
      else if (lineBreak === -1 && line.trim() !== '') tornTail = line;
      else if (line.trim() !== '') damage.push({ line: number, text: line });
    }
    start = end + 1;
  }
  return { events, damage, tornTail };
}

const OPENING = '{"type":"';

function isOfOtherType(
  text: string,
  start: number,
  end: number,
  wanted: ReadonlySet<string>,
): boolean {
  if (!text.startsWith(OPENING, start) || text[end - 1] !== '}') return false;
  const typeStart = start + OPENING.length;
  const typeEnd = text.indexOf('"', typeStart);
  return typeEnd !== -1 && typeEnd < end && !wanted.has(text.slice(typeStart, typeEnd));
}

/** One line of history.jsonl: type, timestamp, then the draft's own keys in order. */
export function formatEvent(draft: EventDraft, timestamp: string): string {
  const { type, timestamp: _, ...facts } = draft;
  return JSON.stringify({ type, timestamp, ...facts });
}

export type HistoryLog = {
  /** Appends formatted lines durably, after cutting a torn last line. */
  append(path: string, lines: readonly string[]): Result<{ readonly repaired: string | null }>;
  /**
   * A history that does not exist yet is empty. Of one that has grown large, only events of the
   * `wanted` types are read, when they are named.
   */
  read(path: string, wanted?: ReadonlySet<string>): Result<History>;
};

/** What a history that is full still takes. */
export type HistoryBound = {
  /** The types of events without which a task could not be taken up again. */
  readonly lasting: ReadonlySet<string>;
  readonly fullBytes?: number;
};

/** With `bound`, histories do not grow without end: see `HistoryBound`. */
export function createHistoryLog(files: Files, bound: HistoryBound | null = null): HistoryLog {
  return {
    append: (path, lines) =>
      bound === null ? files.appendLines(path, lines) : appendBounded(files, bound, path, lines),
    read: (path, wanted) => {
      const state = files.stat(path);
      if (!state.ok) return state;
      if (state.value.kind === 'absent') return success(NO_HISTORY);
      const file = files.readText(path, MAX_HISTORY_BYTES, 'lossy');
      if (!file.ok) return file;
      const { text } = file.value;
      return success(parseHistory(text, text.length > LARGE_LENGTH ? (wanted ?? null) : null));
    },
  };
}

/** The line that fills a history is followed by one that says so; after that only the lasting ones come. */
function appendBounded(
  files: Files,
  { lasting, fullBytes = FULL_BYTES }: HistoryBound,
  path: string,
  lines: readonly string[],
): ReturnType<HistoryLog['append']> {
  const state = files.stat(path);
  const sizeBefore = state.ok && state.value.kind === 'file' ? state.value.stamp.size : 0;
  if (sizeBefore >= fullBytes) {
    const kept = lines.filter((line) => !isOfOtherType(line, 0, line.length, lasting));
    return kept.length === 0 ? success({ repaired: null }) : files.appendLines(path, kept);
  }
  const last = lines.at(-1);
  const added = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  if (last === undefined || sizeBefore + added < fullBytes) return files.appendLines(path, lines);
  return files.appendLines(path, [...lines, fullNote(last, fullBytes)]);
}

function fullNote(last: string, fullBytes: number): string {
  const timestamp = parseEvent(last)?.timestamp ?? '';
  return formatEvent({ type: 'history.full', limit_bytes: fullBytes }, timestamp);
}

function parseEvent(line: string): HistoryEvent | null {
  // An exception costs more than reading a good line, and a damaged file may hold thousands.
  const text = line.trim();
  if (!text.startsWith('{') || !text.endsWith('}')) return null;
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (!isJsonMap(value)) return null;
  const { type, timestamp } = value;
  if (typeof type !== 'string' || typeof timestamp !== 'string') return null;
  return { ...withCommit(value), type, timestamp };
}

// Histories of the origin call a merge's commit `commit_hash`.
function withCommit(event: JsonMap): JsonMap {
  if (event['type'] !== 'task.merged' || event['commit_hash'] === undefined) return event;
  const { commit_hash: hash, ...rest } = event;
  return { ...rest, commit: rest['commit'] ?? hash };
}
