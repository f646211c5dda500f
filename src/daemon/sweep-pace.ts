import type { Clock, Log } from '../ports.js';

/** Knows how late each sweep is: the machine slept, or something held up the event loop. */
export class SweepPace {
  readonly #parts: { readonly clock: Pick<Clock, 'monotonicMs'>; readonly log: Log };
  #lastMs: number | null = null;

  constructor(parts: { readonly clock: Pick<Clock, 'monotonicMs'>; readonly log: Log }) {
    this.#parts = parts;
  }

  /** By how much the sweep that begins now is late; from a second on that is written down. */
  begin(periodMs: number): number {
    const now = this.#parts.clock.monotonicMs();
    const lateMs = this.#lastMs === null ? 0 : Math.max(0, now - this.#lastMs - periodMs);
    this.#lastMs = now;
    if (lateMs >= LATE_MS) {
      this.#parts.log.write({ event: 'sweep.late', level: 'warn', late_ms: Math.round(lateMs) });
    }
    return lateMs;
  }
}

const LATE_MS = 1000;
