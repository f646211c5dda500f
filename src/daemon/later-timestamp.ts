import type { Moment } from '../domain/observation.js';

/**
 * The timestamp of a write: now, but always later than the one before, even if the clock was set
 * back. `updated_at` thereby tells two versions of a file apart.
 */
export function laterTimestamp(previous: string, moment: Moment): string {
  const before = Date.parse(previous);
  if (Number.isNaN(before) || moment.nowMs > before) return moment.timestamp;
  return new Date(before + 1).toISOString();
}
