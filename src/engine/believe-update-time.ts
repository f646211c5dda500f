import type { HistoryEvent } from '../domain/history-event.js';
import { instantOf } from '../domain/instant.js';

/** Clocks, and what is rounded to a minute, may differ by this much. */
const ALLOWANCE_MS = 60_000;

/**
 * When a task was last changed, by what its file says. A clock that stood ahead has left its time in
 * the history too. One that is later than that and now was put into the file by somebody, and every
 * write after it would have to be later still: there the history counts.
 */
export function believeUpdateTime(
  updatedAt: string,
  { events, now }: { readonly events: readonly HistoryEvent[]; readonly now: string },
): string {
  const claimedMs = msOf(updatedAt) - ALLOWANCE_MS;
  if (claimedMs <= msOf(now)) return updatedAt;
  const last = events.reduce<string | null>(
    (latest, { timestamp }) => (msOf(timestamp) > msOf(latest ?? '') ? timestamp : latest),
    null,
  );
  return claimedMs <= msOf(last ?? '') ? updatedAt : (last ?? now);
}

/** A time that is none is before all others. */
function msOf(timestamp: string): number {
  return instantOf(timestamp) ?? Number.NEGATIVE_INFINITY;
}
