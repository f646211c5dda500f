import { expect, it, onTestFinished, vi } from 'vitest';
import { repeat } from '../../src/daemon/repeat.js';

it('comes again at the pace that is set by then, until it is stopped', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let periodMs = 1000;
  const told: number[] = [];
  const repetition = repeat(
    () => periodMs,
    (ms) => told.push(ms),
  );
  vi.advanceTimersByTime(2000);
  expect(told).toEqual([1000, 1000]);
  periodMs = 50;
  // The one under way was begun at the old pace.
  vi.advanceTimersByTime(1100);
  expect(told).toEqual([1000, 1000, 1000, 50, 50]);
  repetition.stop();
  vi.advanceTimersByTime(10_000);
  expect(told).toHaveLength(5);
});

it('F77 comes again after a bug', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let times = 0;
  const repetition = repeat(
    () => 10,
    () => {
      times += 1;
      if (times === 1) throw new Error('a bug');
    },
  );
  expect(() => vi.advanceTimersByTime(10)).toThrow('a bug');
  vi.advanceTimersByTime(10);
  expect(times).toBe(2);
  repetition.stop();
});
