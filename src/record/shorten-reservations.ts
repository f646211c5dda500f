import { formatEvent, parseHistory } from './history-log.js';
import { openGrants } from './lock-events.js';

/**
 * The text of `reservations.jsonl` with about so much of its end as it is, and of what came before
 * only what is still held: it replays to the same.
 */
export function shortenReservations(text: string, keep: number): string {
  if (text.length <= keep) return text;
  const cut = text.indexOf('\n', text.length - keep - 1) + 1;
  const before = parseHistory(text.slice(0, cut)).events;
  const lines = openGrants(before).map((event) => `${formatEvent(event, event.timestamp)}\n`);
  return `${lines.join('')}${text.slice(cut)}`;
}
