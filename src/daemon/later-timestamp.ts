import type { Moment } from '../domain/observation.js';

/**
 * The timestamp of a write: now, but always later than the one before, even if the clock was set
 * back. `updated_at` thereby tells two versions of a file apart.
 */
export function laterTimestamp(previous: string, moment: Moment): string {
  if (moment.timestamp > previous) return moment.timestamp;
  const before = Date.parse(previous);
  return Number.isNaN(before) ? moment.timestamp : new Date(before + 1).toISOString();
}
