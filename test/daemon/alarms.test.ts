import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Alarms } from '../../src/daemon/alarms.js';

function createAlarms() {
  const rung: string[] = [];
  const alarms = new Alarms(
    () => performance.now(),
    (taskId) => rung.push(taskId),
  );
  return { alarms, rung };
}

describe('alarms', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('ring once, at the earliest time asked for', () => {
    const { alarms, rung } = createAlarms();
    alarms.wakeIn('a', 1000);
    alarms.wakeIn('a', 100);
    alarms.wakeIn('a', 500);
    alarms.wakeIn('b', 300);
    vi.advanceTimersByTime(150);
    expect(rung).toEqual(['a']);
    vi.advanceTimersByTime(5000);
    expect(rung).toEqual(['a', 'b']);
  });

  it('can be set again when they ring, and be cancelled', () => {
    const { alarms, rung } = createAlarms();
    alarms.wakeIn('a', 10);
    vi.advanceTimersByTime(20);
    alarms.wakeIn('a', 10);
    alarms.wakeIn('b', 10);
    alarms.cancel('b');
    vi.advanceTimersByTime(20);
    expect(rung).toEqual(['a', 'a']);
    alarms.wakeIn('a', 10);
    alarms.close();
    vi.advanceTimersByTime(100);
    expect(rung).toEqual(['a', 'a']);
  });

  it('that take long wait for a turn of the event loop each, so that others get theirs', async () => {
    vi.useRealTimers();
    const turns: string[] = [];
    let nowMs = 0;
    const alarms = new Alarms(
      () => nowMs,
      (taskId) => {
        nowMs += 20;
        turns.push(taskId);
      },
    );
    for (const taskId of ['a', 'b', 'c', 'd']) alarms.ring(taskId);
    expect(turns).toEqual(['a']);
    alarms.cancel('c');
    const other = (): void => {
      turns.push('other');
      if (turns.length < 6) setImmediate(other);
    };
    setImmediate(other);
    await expect.poll(() => turns.length).toBeGreaterThan(5);
    expect(turns.slice(0, 5)).toEqual(['a', 'b', 'other', 'd', 'other']);
    alarms.close();
  });
});
