import type { Moment } from '../domain/observation.js';
import type { Clock } from '../ports.js';

/** Now, by both clocks. */
export function momentOf(clock: Clock): Moment {
  const nowMs = clock.nowMs();
  const timestamp = new Date(nowMs).toISOString();
  return { nowMs, monotonicMs: clock.monotonicMs(), timestamp };
}
