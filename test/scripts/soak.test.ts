import { describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Event = { readonly type: string; readonly [fact: string]: unknown };
const { compareLedger } = await loadScript<{
  compareLedger: (ledger: string, history: readonly Event[]) => readonly string[];
}>('../soak/compare');
const { memorySlope } = await loadScript<{
  memorySlope: (samples: readonly { readonly atS: number; readonly rss: number }[]) => number;
}>('../soak/watch-use');

const MB = 2 ** 20;
const crash = (launch: string): Event => ({ type: 'agent.crashed', launch });
const move = (from: string, to: string): Event => ({ type: 'auto.advanced', from, to });

describe('a ledger beside its history', () => {
  it('agrees when everything is there once', () => {
    const ledger = 'crash l1\nhandoff a\nverdict 1\nhandoff b\n';
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

describe('the growth of memory', () => {
  it('is none where it rises and is tidied up again', () => {
    const samples = Array.from({ length: 600 }, (_, s) => ({
      atS: s,
      rss: (100 + (s % 15)) * MB,
    }));
    expect(memorySlope(samples)).toBe(0);
  });

  it('is told per hour', () => {
    const samples = Array.from({ length: 600 }, (_, s) => ({ atS: s, rss: (100 + s / 60) * MB }));
    expect(memorySlope(samples)).toBeCloseTo(60);
  });
});
