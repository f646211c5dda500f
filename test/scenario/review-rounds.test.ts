import { describe, expect, it } from 'vitest';
import { buildSettings, buildWorld, type WorldParts } from '../builders/world.js';
import { eventsOf, movesOf } from '../fakes/history-queries.js';
import { Simulation } from '../fakes/simulation.js';

const PLAN = 'APPROACH: the short way';
const FIRST_FAIL = 'Verdict: FAIL\n\nNo tests.';

/** A task whose Handoff has just been taken and whose first reviewer runs. */
function underReview(parts: WorldParts = {}): { readonly sim: Simulation; readonly id: string } {
  const sim = new Simulation(buildWorld(parts));
  const id = sim.create({ branch: 'dark-mode' });
  sim.carryOut();
  sim.writeAndSettle(id, { Plan: PLAN, Handoff: 'DONE: a first part' });
  sim.carryOut();
  return { sim, id };
}

describe('a review that fails', () => {
  it('ORA-62 sends the task back, ends the reviewer and tells the worker to read it', () => {
    const { sim, id } = underReview();
    sim.writeAndSettle(id, { Review: FIRST_FAIL });
    expect(sim.task(id).fields).toMatchObject({ status: 'working', review_round: 1 });
    expect(sim.history(id).at(-1)).toMatchObject({
      type: 'auto.advanced',
      reason: '## Review found',
      verdict: 'FAIL',
      round: 1,
    });
    expect(sim.owed).toMatchObject([
      { kind: 'end-window', window: 'review-1' },
      { kind: 'tell-agent', window: 'worker', message: { kind: 'review-failed', round: 1 } },
    ]);
  });

  it('makes the Handoff of before an old one, until it says something new', () => {
    const { sim, id } = underReview();
    sim.writeAndSettle(id, { Review: FIRST_FAIL });
    sim.carryOut();
    sim.settle(id);
    expect(sim.task(id).fields.status).toBe('working');
    sim.writeAndSettle(id, { Handoff: 'DONE: a first part, with tests' });
    expect(sim.task(id).fields).toMatchObject({ status: 'agent-review', review_round: 2 });
  });

  it('lets the agent ask with the same Handoff all the same', () => {
    const { sim, id } = underReview();
    sim.writeAndSettle(id, { Review: FIRST_FAIL });
    sim.carryOut();
    sim.ask({ kind: 'task.update', taskId: id, status: 'agent-review' }, 'agent');
    expect(sim.task(id).fields).toMatchObject({ status: 'agent-review', review_round: 2 });
  });

  it('starts the worker again, resuming, when it has ended during the review', () => {
    const { sim, id } = underReview();
    sim.end(id, 'worker');
    expect(sim.task(id).fields).toMatchObject({ status: 'agent-review', crash_count: 0 });
    expect(eventsOf(sim.history(id), 'agent.crashed')).toEqual([]);
    sim.writeAndSettle(id, { Review: FIRST_FAIL });
    expect(sim.owed.at(-1)).toMatchObject({
      kind: 'start-agent',
      role: 'worker',
      isResuming: true,
      message: { kind: 'review-failed', round: 1 },
    });
    sim.carryOut();
    expect(sim.task(id)).toMatchObject({ fields: { status: 'working' }, worker: { kind: 'live' } });
  });

  it('in the last round makes the task stuck, and the human decides', () => {
    const { sim, id } = underReview();
    sim.writeAndSettle(id, { Review: FIRST_FAIL });
    sim.carryOut();
    sim.writeAndSettle(id, { Handoff: 'DONE: more' });
    sim.carryOut();
    sim.writeAndSettle(id, { Review: 'Verdict: FAIL\n\nStill no tests.' });
    expect(sim.task(id).fields).toMatchObject({ status: 'stuck', review_round: 2 });
    expect(sim.owed).toMatchObject([
      { kind: 'end-window' },
      { kind: 'notify-human', cause: 'stuck' },
    ]);
    sim.carryOut();
    sim.ask({ kind: 'task.update', taskId: id, status: 'reviewing' });
    expect(sim.task(id).fields.status).toBe('reviewing');
  });

  it('gives as many rounds as the policy says', () => {
    const settings = buildSettings({ policy: { maxReviewRounds: 1 } });
    const { sim, id } = underReview({ settings });
    sim.writeAndSettle(id, { Review: FIRST_FAIL });
    expect(sim.task(id).fields.status).toBe('stuck');
  });
});

describe('a verdict that is not of this round', () => {
  it('is moved out when the next round begins, and kept as a transcript', () => {
    const { sim, id } = underReview();
    sim.writeAndSettle(id, { Review: FIRST_FAIL });
    sim.carryOut();
    sim.writeAndSettle(id, { Handoff: 'DONE: more' });
    expect(sim.file(id).sections.Review).toBeUndefined();
    expect(sim.file(id).transcripts['review-1.md']).toBe(FIRST_FAIL);
    expect(sim.task(id).artifacts.verdict).toBeNull();
  });

  it('never counts when an old copy of the file brings it back', () => {
    const { sim, id } = underReview();
    sim.writeAndSettle(id, { Review: FIRST_FAIL });
    sim.carryOut();
    const copy = sim.file(id);
    sim.writeAndSettle(id, { Handoff: 'DONE: more' });
    sim.carryOut();
    sim.overwrite(id, copy);
    sim.settle(id);
    expect(sim.task(id).fields).toMatchObject({ status: 'agent-review', review_round: 2 });
    expect(sim.file(id).sections.Review).toBeUndefined();
    sim.writeAndSettle(id, { Review: 'Verdict: PASS' });
    expect(sim.task(id).fields.status).toBe('reviewing');
  });

  it('does not decide for a reviewer that dies before it has written its own', () => {
    const { sim, id } = underReview();
    sim.writeAndSettle(id, { Review: FIRST_FAIL });
    sim.carryOut();
    sim.writeAndSettle(id, { Handoff: 'DONE: more' });
    sim.carryOut();
    sim.end(id, 'reviewer');
    expect(sim.task(id).fields).toMatchObject({ status: 'agent-review', crash_count: 1 });
    expect(sim.history(id).at(-1)).toMatchObject({
      type: 'agent.crashed',
      status: 'agent-review',
      window: 'review-2',
      reason: 'no ## Review',
    });
  });

  it('does not count before the reviewer of the round has started', () => {
    const sim = new Simulation(buildWorld());
    const id = sim.create({ status: 'agent-review' });
    sim.writeAndSettle(id, { Review: 'Verdict: PASS' });
    expect(sim.task(id).fields.status).toBe('agent-review');
    sim.carryOut();
    expect(movesOf(sim.history(id))).toEqual(['agent-review>reviewing']);
  });

  it('of a terse reviewer counts although it reads like the last one', () => {
    const { sim, id } = underReview();
    sim.writeAndSettle(id, { Review: 'Verdict: PASS' });
    sim.carryOut();
    sim.ask({ kind: 'task.update', taskId: id, status: 'working' });
    sim.carryOut();
    sim.writeAndSettle(id, { Handoff: 'DONE: what you asked for' });
    sim.carryOut();
    sim.writeAndSettle(id, { Review: 'Verdict: PASS' });
    expect(sim.task(id).fields).toMatchObject({ status: 'reviewing', review_round: 2 });
  });

  it.each(['**Verdict: PASS**', 'Verdict: APPROVED', '\nLooks good.\n\nVerdict: PASS'])(
    'ORA-60 is none when it reads %j',
    (Review) => {
      const { sim, id } = underReview();
      sim.writeAndSettle(id, { Review });
      expect(sim.task(id).fields.status).toBe('agent-review');
    },
  );
});

describe('the review gate', () => {
  const gates = { start: 'auto', plan: 'auto', merge: 'human' } as const;

  it.each(['auto', 'skip', 'human'] as const)(
    'as %s leads straight to the human and leaves its decision',
    (review) => {
      const settings = buildSettings({ policy: { gates: { ...gates, review } } });
      const { sim, id } = underReview({ settings });
      expect(sim.task(id).fields).toMatchObject({ status: 'reviewing', review_round: 0 });
      expect(sim.history(id).slice(-2)).toMatchObject([
        { type: 'gate.decided', gate: 'review', mode: review },
        { type: 'auto.advanced', from: 'working', to: 'reviewing', reason: '## Handoff found' },
      ]);
    },
  );

  it('leads to the human where no reviewer is installed, and says so', () => {
    const sim = new Simulation(buildWorld({ installedHarnesses: ['codex'] }));
    const id = sim.create();
    sim.carryOut();
    sim.writeAndSettle(id, { Plan: PLAN, Handoff: 'DONE: all' });
    expect(sim.task(id).fields.status).toBe('reviewing');
    expect(eventsOf(sim.history(id), 'gate.decided')).toMatchObject([
      { mode: 'human', reason: 'claude is not installed' },
    ]);
  });
});

describe('the merge gate', () => {
  it.each(['auto', 'skip'] as const)('as %s merges without being asked', (merge) => {
    const settings = buildSettings({
      policy: { gates: { start: 'auto', plan: 'auto', review: 'ai', merge } },
    });
    const { sim, id } = underReview({ settings });
    sim.writeAndSettle(id, { Review: 'Verdict: PASS' });
    sim.carryOut();
    expect(sim.task(id).fields.status).toBe('done');
    expect(eventsOf(sim.history(id), 'task.merged')).toHaveLength(1);
  });

  it('as human waits, however long', () => {
    const { sim, id } = underReview();
    sim.writeAndSettle(id, { Review: 'Verdict: PASS' });
    sim.carryOut();
    sim.wait(86_400_000, id);
    expect(sim.owed).toEqual([]);
    expect(sim.task(id).fields.status).toBe('reviewing');
  });
});
