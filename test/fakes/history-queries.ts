import type { HistoryEvent } from '../../src/domain/history-event.js';

/** The moves of a history as `from>to`, oldest first. */
export function movesOf(history: readonly HistoryEvent[]): readonly string[] {
  return history
    .filter(({ type }) => type === 'status.changed' || type === 'auto.advanced')
    .map((event) => `${String(event['from'])}>${String(event['to'])}`);
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
