import { describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Sample = { readonly atS: number; readonly rss: number };
type Event = { readonly type: string; readonly [fact: string]: unknown };
const { compareLedger } = await loadScript<{
  compareLedger: (ledger: string, history: readonly Event[]) => readonly string[];
}>('../soak/compare');
const { leastLive, soakRows } = await loadScript<{
  leastLive: (sessions: number, stuck: number) => number;
  soakRows: (seen: object) => readonly (readonly [string, string, string?, boolean?])[];
}>('../soak/report');
const { memorySlope, secondHalf } = await loadScript<{
  secondHalf: (samples: readonly Sample[]) => readonly Sample[];
  memorySlope: (samples: readonly Sample[]) => {
    readonly mbPerHour: number;
    readonly offBy: number;
  };
}>('../soak/watch-use');

const MB = 2 ** 20;
const crash = (launch: string): Event => ({ type: 'agent.crashed', launch });
const about = (type: string, launch: string): Event => ({ type, launch });
const stall = (launch: string): readonly Event[] => [about('agent.stalled', launch)];
const noisy = (seconds: number, mb: number): readonly Sample[] =>
  Array.from({ length: seconds }, (_, atS) => ({
    atS,
    rss: (100 + (Math.floor(atS / 15) % 2) * mb) * MB,
  }));
const move = (from: string, to: string): Event => ({ type: 'auto.advanced', from, to });

describe('a ledger beside its history', () => {
  it('agrees when everything is there once', () => {
    const ledger = 'crash l1\nhandoff a\nverdict FAIL\nhandoff b\n';
    const history = [
      crash('l1'),
      move('planning', 'working'),
      move('working', 'agent-review'),
      move('agent-review', 'working'),
      move('working', 'agent-review'),
    ];
    expect(compareLedger(ledger, history)).toEqual([]);
  });

  it('tells what was missed, doubled or made up', () => {
    const ledger = 'crash l1\ncrash l2\nhandoff a\n';
    const history = [crash('l1'), crash('l1'), crash('l9'), move('agent-review', 'working')];
    expect(compareLedger(ledger, history)).toEqual([
      'crash of l1: 1 done, 2 recorded',
      'crash of l2: 1 done, 0 recorded',
      'crash of l9: never happened',
      'moves to agent-review: 1 done, 0 recorded',
      'moves back to working: 0 done, 1 recorded',
    ]);
  });
});

describe('starts in a ledger', () => {
  const spawned = about('agent.spawned', 'l1');
  const reviewing = about('review.started', 'l2');

  it('agree when each launch has begun once and is told of once', () => {
    expect(compareLedger('start l1\nstart l2\n', [spawned, reviewing])).toEqual([]);
  });

  it('tell what was missed, doubled or made up', () => {
    expect(compareLedger('start l1\nstart l2\n', [spawned])).toEqual([
      'start of l2: 1 done, 0 recorded',
    ]);
    expect(compareLedger('start l1\n', [spawned, spawned])).toEqual([
      'start of l1: 1 done, 2 recorded',
    ]);
    expect(compareLedger('start l1\nstart l1\n', [spawned])).toEqual([
      'start of l1: 2 done, 1 recorded',
    ]);
    expect(compareLedger('start l1\nstart l1\n', [spawned, spawned])).toHaveLength(1);
    expect(compareLedger('', [reviewing])).toEqual(['start of l2: 0 done, 1 recorded']);
  });
});

describe('what no soak brings about', () => {
  it('is an interruption', () => {
    expect(compareLedger('', [about('agent.interrupted', 'l1')])).toEqual([
      'interruption of l1: never happened',
    ]);
  });

  it('is a task that is stuck after fewer than four crashes', () => {
    const crashes = ['l1', 'l2', 'l3', 'l4'];
    const ledger = crashes.map((launch) => `crash ${launch}\n`).join('');
    const history = [...crashes.map(crash), move('working', 'stuck')];
    expect(compareLedger(ledger, history)).toEqual([]);
    expect(compareLedger('crash l1\n', [crash('l1'), move('working', 'stuck')])).toEqual([
      'stuck after 1 crashes',
    ]);
  });
});

describe('silences in a ledger', () => {
  it('agree when each was noticed once and ended once', () => {
    const history = [...stall('l1'), about('agent.resumed', 'l1')];
    expect(compareLedger('silent l1\nawake l1\n', history)).toEqual([]);
    const twice = 'silent l1\nawake l1\nsilent l1\nawake l1\n';
    expect(compareLedger(twice, [...history, ...history])).toEqual([]);
  });

  it('may be noticed or not when they were not ended', () => {
    for (const open of ['silent l1\n', 'rest l1\n', 'silent l1\nrest l1\n']) {
      expect(compareLedger(open, [])).toEqual([]);
      expect(compareLedger(open, stall('l1'))).toEqual([]);
    }
    expect(compareLedger('silent l1\n', [...stall('l1'), about('agent.resumed', 'l1')])).toEqual([
      'silence of l1, resumed: 0 done, 1 recorded',
    ]);
  });

  it('tell what was missed, doubled or made up', () => {
    const history = [...stall('l1'), ...stall('l2'), ...stall('l2'), about('agent.resumed', 'l2')];
    expect(compareLedger('silent l1\nawake l1\nsilent l2\nawake l2\n', history)).toEqual([
      'silence of l1, resumed: 1 done, 0 recorded',
      'silence of l2, stalled: 1 done, 2 recorded',
    ]);
    expect(compareLedger('silent l1\nawake l1\n', [])).toHaveLength(2);
    expect(compareLedger('', [...stall('l9'), about('progress.polled', 'l9')])).toEqual([
      'silence of l9, stalled: 0 done, 1 recorded',
      'question to l9: what its screen shows is not known',
    ]);
  });
});

describe('ends in a ledger', () => {
  const merged = [move('agent-review', 'reviewing'), { type: 'task.merged' }];

  it('agree when each is there once', () => {
    const history = [...merged, move('reviewing', 'done')];
    expect(compareLedger('verdict PASS\nend merged\n', history)).toEqual([]);
    expect(compareLedger('end resolved\n', [move('reviewing', 'done')])).toEqual([]);
    expect(compareLedger('end cancelled\n', [move('reviewing', 'cancelled')])).toEqual([]);
  });

  it('tell what was missed, doubled or made up', () => {
    expect(compareLedger('verdict PASS\nend merged\n', [])).toEqual([
      'moves to reviewing: 1 done, 0 recorded',
      'moves to done: 1 done, 0 recorded',
      'merges: 1 done, 0 recorded',
    ]);
    expect(compareLedger('', [...merged, move('reviewing', 'cancelled')])).toEqual([
      'moves to reviewing: 0 done, 1 recorded',
      'moves to cancelled: 0 done, 1 recorded',
      'merges: 0 done, 1 recorded',
    ]);
  });
});

describe('the limits of a soak', () => {
  const crowd = { all: 9000, crashes: 30, starts: 2000, stalls: 50, recoveries: 50 };
  const seen = {
    samples: noisy(300, 0).map((sample) => ({ ...sample, files: 30 })),
    tookMs: 300_000,
    cpuShare: 0.2,
    restShare: 0.01,
    lag: { p50: 1, p99: 9, max: 20 },
    live: 50,
    least: 45,
    sessions: 50,
    ended: 60,
    crowd,
    problems: [],
  };
  const missedOf = (more: object): readonly string[] =>
    soakRows({ ...seen, ...more }).flatMap(([what, , , isMet = true]) => (isMet ? [] : [what]));

  it('hold when everything happened and everybody is there', () => {
    expect(missedOf({})).toEqual([]);
  });

  it('are missed when fewer sessions live at the end than have to', () => {
    expect(missedOf({ live: 45 })).toEqual([]);
    expect(missedOf({ live: 44 })).toEqual(['live sessions at the end']);
  });

  it.each(['crashes', 'starts', 'stalls', 'recoveries'])('are missed without any %s', (kind) => {
    expect(missedOf({ crowd: { ...crowd, [kind]: 0 } })).toEqual(['of them']);
  });

  it('are missed when no task came to an end', () => {
    expect(missedOf({ ended: 0 })).toEqual(['of them']);
  });

  it('ask for nothing that a short or small run may do without', () => {
    const none = { crowd: { ...crowd, crashes: 0, stalls: 0, recoveries: 0 }, ended: 0 };
    expect(missedOf({ ...none, sessions: 49 })).toEqual([]);
    expect(missedOf({ ...none, tookMs: 299_000 })).toEqual([]);
  });

  it('ask for nine sessions of ten, all but three of a few, and none of those that are stuck', () => {
    expect([100, 50, 20, 4, 1].map((sessions) => leastLive(sessions, 0))).toEqual([
      90, 45, 17, 1, 1,
    ]);
    expect(leastLive(20, 10)).toBe(7);
    expect(leastLive(2, 2)).toBe(0);
  });
});

describe('the growth of memory', () => {
  it('is none where it rises and is tidied up again', () => {
    const samples = Array.from({ length: 600 }, (_, s) => ({
      atS: s,
      rss: (100 + (s % 15)) * MB,
    }));
    expect(memorySlope(samples)).toEqual({ mbPerHour: 0, offBy: 0 });
  });

  it('is told per hour', () => {
    const samples = Array.from({ length: 600 }, (_, s) => ({ atS: s, rss: (100 + s / 60) * MB }));
    expect(memorySlope(samples).mbPerHour).toBeCloseTo(60);
    expect(memorySlope(samples).offBy).toBeCloseTo(0);
  });

  it('does not count in the second half what grew in the first', () => {
    const samples = Array.from({ length: 600 }, (_, s) => ({
      atS: s,
      rss: Math.min(100 + s, 350) * MB,
    }));
    expect(memorySlope(samples).mbPerHour).toBeGreaterThan(1000);
    expect(memorySlope(secondHalf(samples)).mbPerHour).toBeCloseTo(0);
  });

  it('is the less certain the more it goes up and down, and the shorter it was watched', () => {
    const { offBy } = memorySlope(noisy(1200, 4));
    expect(memorySlope(noisy(1200, 8)).offBy).toBeGreaterThan(1.5 * offBy);
    expect(memorySlope(noisy(600, 4)).offBy).toBeGreaterThan(2 * offBy);
    expect(offBy).toBeLessThan(60);
  });

  it('is the less certain the longer it stays up or down', () => {
    const slow = noisy(1200, 4).map(({ atS }) => ({
      atS,
      rss: (100 + (Math.floor(atS / 120) % 2) * 4) * MB,
    }));
    expect(memorySlope(slow).offBy).toBeGreaterThan(1.5 * memorySlope(noisy(1200, 4)).offBy);
  });

  it('of a few moments may be anything', () => {
    expect(memorySlope(noisy(60, 4)).offBy).toBe(Number.POSITIVE_INFINITY);
  });
});
