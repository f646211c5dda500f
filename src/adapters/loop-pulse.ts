import { createHistogram } from 'node:perf_hooks';
import type { LoopLag } from '../domain/task-view.js';

// Each beat wakes an idle daemon: at 20 ms they would cost more than all the rest of it.
const BEAT_MS = 500;
const SHORTEST_SPAN_MS = 10_000;

/** The beat of an event loop. */
export type LoopPulse = {
  /** Counts the beats, for whoever watches from another thread. */
  readonly beats: Int32Array;
  /**
   * How late they come because the process does something else, in milliseconds: since that was last
   * asked, or the time before when the last question came a moment ago.
   */
  lag(): LoopLag;
};

/** Lets the event loop of this process beat, by one timer for all who want to know whether it turns. */
export function startLoopPulse(monotonicMs: () => number): LoopPulse {
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const delays = createHistogram();
  let sinceMs = monotonicMs();
  let beatMs = performance.now();
  const beat = (): void => {
    const lastMs = beatMs;
    beatMs = performance.now();
    Atomics.add(beats, 0, 1);
    delays.record(Math.max(LEAST, Math.round((beatMs - lastMs - BEAT_MS) * STEPS_A_MS)));
  };
  setInterval(beat, BEAT_MS).unref();
  return {
    beats,
    lag: () => {
      const lag = {
        p50: toMs(delays.percentile(50)),
        p99: toMs(delays.percentile(99)),
        max: toMs(delays.max),
      };
      if (monotonicMs() - sinceMs >= SHORTEST_SPAN_MS) {
        delays.reset();
        sinceMs = monotonicMs();
      }
      return lag;
    },
  };
}

/** The histogram takes whole numbers from 1 on: microseconds. */
const STEPS_A_MS = 1000;
const LEAST = 1;

function toMs(microseconds: number): number {
  return Math.round(microseconds / 100) / 10;
}
