import type { EventDraft, HistoryEvent } from '../domain/history-event.js';
import type { JsonValue } from '../domain/json.js';
import { success, type Result } from '../domain/result.js';
import type { Files } from '../ports.js';
import { isJsonMap, type JsonMap } from './read-json.js';

const MAX_HISTORY_BYTES = 512 * 1024 * 1024;

export type History = {
  readonly events: readonly HistoryEvent[];
  /** Lines that are no events; the others are read all the same. */
  readonly damage: readonly { readonly line: number; readonly text: string }[];
  /** A last line that was never finished. */
  readonly tornTail: string | null;
};

const NO_HISTORY: History = { events: [], damage: [], tornTail: null };

/** Reads a history line by line. */
export function parseHistory(text: string): History {
  const events: HistoryEvent[] = [];
  const damage: { line: number; text: string }[] = [];
  let tornTail: string | null = null;
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const event = parseEvent(line);
    if (event !== null) events.push(event);
    else if (index === lines.length - 1) tornTail = line;
    else damage.push({ line: index + 1, text: line });
  }
  return { events, damage, tornTail };
}

/** One line of history.jsonl: type, timestamp, then the draft's own keys in order. */
export function formatEvent(draft: EventDraft, timestamp: string): string {
  const { type, timestamp: _, ...facts } = draft;
  return JSON.stringify({ type, timestamp, ...facts });
}

export type HistoryLog = {
  /** Appends formatted lines durably, after cutting a torn last line. */
  append(path: string, lines: readonly string[]): Result<{ readonly repaired: string | null }>;
  /** A history that does not exist yet is empty. */
  read(path: string): Result<History>;
};

export function createHistoryLog(files: Files): HistoryLog {
  return {
    append: (path, lines) => files.appendLines(path, lines),
    read: (path) => {
      const state = files.stat(path);
      if (!state.ok) return state;
      if (state.value.kind === 'absent') return success(NO_HISTORY);
      const file = files.readText(path, MAX_HISTORY_BYTES, 'lossy');
      return file.ok ? success(parseHistory(file.value.text)) : file;
    },
  };
}

function parseEvent(line: string): HistoryEvent | null {
  let value: JsonValue;
  try {
    value = JSON.parse(line);
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
