import { describe, expect, it } from 'vitest';
import { HangJudge, type LoopLook, type ThreadUse } from '../../src/adapters/hang-judge.js';

const LIMITS = { everyMs: 500, blockedMs: 1000, hungMs: 10_000, startMs: 120_000 };

/** What the judge says to looks at a loop that does not turn. */
function judgeLooks(looks: readonly Omit<LoopLook, 'beats'>[]): readonly string[] {
  const judge = new HangJudge(LIMITS);
  return looks.map((look) => judge.judge({ beats: 7, ...look }));
}

/** Looks every `everyMs`, each with what the thread has used by then. */
function looksOver(
  count: number,
  everyMs: number,
  useAt: (ms: number) => ThreadUse | null,
): readonly Omit<LoopLook, 'beats'>[] {
  return Array.from({ length: count }, (_, index) => {
    const monotonicMs = index * everyMs;
    return { monotonicMs, isStarting: false, thread: useAt(monotonicMs) };
  });
}

const HANGS = ['turns', 'held-up', 'blocked', ...Array<string>(17).fill('held-up'), 'hung', 'hung'];

describe('the watch over the event loop', () => {
  it.each<[string, (ms: number) => ThreadUse | null]>([
    ['uses a processor all the time', (ms) => ({ state: 'running', cpuMs: ms })],
    ['waits for the system', () => ({ state: 'waiting', cpuMs: 30 })],
    ['cannot be looked at', () => null],
  ])('F76 tells a thread that %s once as blocked, then as hung', (_, useAt) => {
    expect(judgeLooks(looksOver(22, 500, useAt))).toEqual(HANGS);
  });

  it.each<[string, number, (ms: number) => ThreadUse | null]>([
    ['that gets no processor', 500, (ms) => ({ state: 'running', cpuMs: ms / 100 })],
    ['that is stopped', 500, () => ({ state: 'stopped', cpuMs: 30 })],
    ['while the watcher is held up as well', 30_000, () => ({ state: 'waiting', cpuMs: 30 })],
  ])('F76 takes a thread %s for nothing worse than slow', (_, everyMs, useAt) => {
    const verdicts = judgeLooks(looksOver(100, everyMs, useAt));
    expect(verdicts).not.toContain('hung');
    expect(verdicts).not.toContain('blocked');
  });

  it('F76 has more patience with a process that is starting, and ends with it once it has started', () => {
    const start = looksOver(300, 500, () => null).map((look) => ({ ...look, isStarting: true }));
    const verdicts = judgeLooks(start);
    expect(new Set(verdicts.slice(1, 240))).toEqual(new Set(['held-up']));
    expect(verdicts.slice(240, 242)).toEqual(['hung', 'hung']);
    const later = start.map((look, index) => ({ ...look, isStarting: index < 30 }));
    expect(judgeLooks(later).slice(29, 31)).toEqual(['held-up', 'hung']);
  });

  it('F76 begins anew with each turn of the loop', () => {
    const judge = new HangJudge(LIMITS);
    const verdicts = looksOver(200, 500, () => null).map((look, index) =>
      judge.judge({ ...look, beats: Math.floor(index / 4) }),
    );
    expect(verdicts.slice(4, 9)).toEqual(['turns', 'held-up', 'blocked', 'held-up', 'turns']);
    expect(verdicts).not.toContain('hung');
  });
});
