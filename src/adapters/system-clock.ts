import type { Clock } from '../ports.js';

export function createSystemClock(): Clock {
  return { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
}
