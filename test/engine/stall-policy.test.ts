import { describe, expect, it } from 'vitest';
import type { Attention } from '../../src/domain/attention.js';
import { STATUSES } from '../../src/domain/status.js';
import {
  addSilence,
  currentAttention,
  lookIntervalMs,
  NO_SILENCE,
  rungOf,
  silenceBefore,
  watchedAgent,
} from '../../src/engine/stall-policy.js';
import { buildTaskIn, liveAgent } from '../builders/task.js';

const MINUTE = 60_000;
const LADDER = [10, 15, 20];

function after(minutes: number, isExtended = false) {
  return { silentMs: minutes * MINUTE, isExtended };
}

describe('the ladder of silence', () => {
  it.each([
    { minutes: 0, ladder: LADDER, rung: null },
    { minutes: 9.99, ladder: LADDER, rung: null },
    { minutes: 10, ladder: LADDER, rung: 'amber' },
    { minutes: 15, ladder: LADDER, rung: 'poll' },
    { minutes: 19.99, ladder: LADDER, rung: 'poll' },
    { minutes: 20, ladder: LADDER, rung: 'stall' },
    { minutes: 500, ladder: LADDER, rung: 'stall' },
    { minutes: 0.02, ladder: [0.01, 0.02, 0.03], rung: 'poll' },
    { minutes: 500, ladder: [], rung: null },
    { minutes: 500, ladder: [10], rung: 'amber' },
    { minutes: 500, ladder: [10, 0, 20], rung: 'stall' },
    { minutes: 17, ladder: [10, 0, 20], rung: 'amber' },
    { minutes: 500, ladder: [0, 0, 0], rung: null },
  ])('F63 after $minutes of $ladder minutes stands on $rung', ({ minutes, ladder, rung }) => {
    expect(rungOf(after(minutes), ladder)).toBe(rung);
  });

  it('is moved up by its first step, once, for something that still runs', () => {
    const rungs = [10, 19, 20, 25, 29, 30].map((minutes) => rungOf(after(minutes, true), LADDER));
    expect(rungs).toEqual([null, null, 'amber', 'poll', 'poll', 'stall']);
  });

  it.each([
    { ladder: LADDER, ms: 20_000 },
    { ladder: [0.1, 0.2, 0.3], ms: 600 },
    { ladder: [0, 0, 0.1], ms: 600 },
    { ladder: [0.001], ms: 200 },
  ])('is looked at every $ms ms where it is $ladder', ({ ladder, ms }) => {
    expect(lookIntervalMs(ladder)).toBeCloseTo(ms);
  });
});

describe('silence', () => {
  it('adds up over looks in time', () => {
    const look = { elapsedMs: 20_000, intervalMs: 20_000 };
    const silence = [look, look, look].reduce(addSilence, NO_SILENCE);
    expect(silence).toEqual({ silentMs: MINUTE, isExtended: false });
  });

  it('F9 F10 is not made by a daemon that was stopped, a machine that slept or a clock set back', () => {
    const gaps = [8 * 3_600_000, -3_600_000, 0];
    const grown = gaps.map(
      (elapsedMs) => addSilence(NO_SILENCE, { elapsedMs, intervalMs: 20_000 }).silentMs,
    );
    expect(grown).toEqual([40_000, 0, 0]);
  });

  it.each([
    { was: 'nothing', attention: null, minutes: 0 },
    { was: 'quiet', attention: { kind: 'quiet', wasPolled: false }, minutes: 0 },
    { was: 'polled', attention: { kind: 'quiet', wasPolled: true }, minutes: 15 },
    { was: 'stalled', attention: { kind: 'stalled', wasPolled: true }, minutes: 20 },
  ] as const)('goes on after a restart from where it was: $was', ({ attention, minutes }) => {
    const known = attention === null ? null : { ...ABOUT, ...attention };
    expect(silenceBefore(known, LADDER).silentMs).toBe(minutes * MINUTE);
  });
});

const ABOUT = { launchId: 'L1', since: '2026-01-01T09:00:00.000Z', reason: '' };

describe('the agent that a task waits for', () => {
  it('F63 is the one its status needs; statuses that wait for a person have none', () => {
    const watched = STATUSES.map((status) => [
      status,
      watchedAgent(buildTaskIn(status))?.window ?? null,
    ]);
    expect(Object.fromEntries(watched)).toEqual({
      pending: null,
      planning: 'worker',
      clarification: null,
      working: 'worker',
      'agent-review': 'review-1',
      reviewing: null,
      stuck: null,
      done: null,
      cancelled: null,
    });
  });

  it('is nobody while a plan waits for approval, an agent is starting or has ended', () => {
    const tasks = [
      buildTaskIn('planning', { artifacts: { hasValidPlan: true } }),
      buildTaskIn('working', { activity: 'starting' }),
      buildTaskIn('working', { worker: { kind: 'starting', launchId: 'L2', window: 'worker' } }),
    ];
    expect(tasks.map(watchedAgent)).toEqual([null, null, null]);
  });

  it('is not what was said of an earlier launch', () => {
    const attention: Attention = { ...ABOUT, kind: 'stalled', wasPolled: false };
    const worker = liveAgent('worker');
    const launchId = worker.kind === 'live' ? worker.launchId : '';
    const old = buildTaskIn('working', { worker, attention });
    const own = buildTaskIn('working', { worker, attention: { ...attention, launchId } });
    expect(currentAttention(old)).toBeNull();
    expect(currentAttention(own)?.kind).toBe('stalled');
  });
});
