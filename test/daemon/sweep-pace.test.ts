import { describe, expect, it } from 'vitest';
import { SweepPace } from '../../src/daemon/sweep-pace.js';

function openPace() {
  const clock = { nowMs: 0 };
  const written: unknown[] = [];
  const pace = new SweepPace({
    clock: { monotonicMs: () => clock.nowMs },
    log: { write: (record) => written.push(record) },
  });
  const sweepAt = (nowMs: number): number => {
    clock.nowMs = nowMs;
    return pace.begin(1000);
  };
  return { sweepAt, written };
}

describe('a sweep', () => {
  it('F76 that comes late because the event loop was held up is written down with how late', () => {
    const { sweepAt, written } = openPace();
    expect([5000, 6000, 9500].map(sweepAt)).toEqual([0, 0, 2500]);
    expect(written).toEqual([{ event: 'sweep.late', level: 'warn', late_ms: 2500 }]);
  });

  it('that is a little late is not worth a line, and one that is early is not late', () => {
    const { sweepAt, written } = openPace();
    expect([0, 1900, 2000].map(sweepAt)).toEqual([0, 900, 0]);
    expect(written).toEqual([]);
  });
});
