import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { LoopLag } from '../domain/task-view.js';

// At 20 ms the looking itself would cost a quarter of a per cent of a core, more than all the rest.
const EVERY_MS = 200;
const SHORTEST_SPAN_MS = 10_000;

/**
 * How late timers fire because the process does something else, in milliseconds: since it was last
 * asked, or the time before that when the last question came a moment ago. Costs a timer.
 */
export function watchLoopLag(monotonicMs: () => number): () => LoopLag {
  const delays = monitorEventLoopDelay({ resolution: EVERY_MS });
  delays.enable();
  let sinceMs = monotonicMs();
  return () => {
    const lag: LoopLag = {
      p50: toMs(delays.percentile(50)),
      p99: toMs(delays.percentile(99)),
      max: toMs(delays.max),
    };
    if (monotonicMs() - sinceMs >= SHORTEST_SPAN_MS) {
      delays.reset();
      sinceMs = monotonicMs();
    }
    return lag;
  };
}

// The histogram holds the whole time between two timers, in nanoseconds.
function toMs(nanoseconds: number): number {
  return Math.max(0, Math.round(nanoseconds / 1e5 - EVERY_MS * 10) / 10);
}
