import type { Moment } from '../domain/observation.js';

/** Behind this a year has more than four digits, and no reader takes it. */
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The timestamp of a write: now, but always later than the one before, even if the clock was set
 * back. `updated_at` thereby tells two versions of a file apart. Nothing is later than the last time
 * that can be written: what stands there is of no clock, and it is now again.
 */
export function laterTimestamp(previous: string, { nowMs }: Moment): string {
  const before = Date.parse(previous);
  const next = Number.isNaN(before) || nowMs > before ? nowMs : before + 1;
  return new Date(next > LAST_MS ? Math.min(nowMs, LAST_MS) : next).toISOString();
}
