import type { JsonValue } from './json.js';

/** One line of history.jsonl. The seed's keys come first; further facts may follow them. */
export type HistoryEvent = {
  readonly type: string;
  readonly timestamp: string;
  readonly [key: string]: JsonValue;
};

/** An event before the recorder has stamped it. */
export type EventDraft = { readonly type: string; readonly [key: string]: JsonValue };
