import type { HistoryEvent } from '../../src/domain/history-event.js';
import type { JsonValue } from '../../src/domain/json.js';

/** The moves of a history as `from>to`, oldest first. */
export function movesOf(history: readonly HistoryEvent[]): readonly string[] {
  return history
    .filter(({ type }) => type === 'status.changed' || type === 'auto.advanced')
    .map(({ from, to }) => `${asText(from)}>${asText(to)}`);
}

export function eventTypes(history: readonly HistoryEvent[]): readonly string[] {
  return history.map(({ type }) => type);
}

export function eventsOf(
  history: readonly HistoryEvent[],
  wanted: string,
): readonly HistoryEvent[] {
  return history.filter(({ type }) => type === wanted);
}

function asText(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '?';
}
