import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Rung } from '../../src/domain/attention.js';
import { currentAttention, watchedAgent } from '../../src/engine/stall-policy.js';
import { replayHistory } from '../../src/engine/replay-history.js';
import { fail } from '../fakes/answer-effect.js';
import { eventsOf, eventTypes } from '../fakes/history-queries.js';
import { buildWorld } from '../builders/world.js';
import { Simulation } from '../fakes/simulation.js';

const MINUTES: Readonly<Record<Rung, number>> = { amber: 10, poll: 15, stall: 20 };
const SINCE = '2026-01-01T08:00:00.000Z';

function atWork(): { readonly sim: Simulation; readonly id: string } {
  const sim = new Simulation(buildWorld());
  const id = sim.create();
  sim.carryOut();
  sim.writeAndSettle(id, { Plan: 'APPROACH: the short way' });
  sim.carryOut();
  return { sim, id };
}

function launchOf(sim: Simulation, id: string): string {
  return watchedAgent(sim.task(id))?.launchId ?? '';
}

function silent(sim: Simulation, id: string, rung: Rung, canBeAsked = true): void {
  const launchId = launchOf(sim, id);
  const silentMs = MINUTES[rung] * 60_000;
  sim.see({
    kind: 'agent-silent',
    taskId: id,
    launchId,
    rung,
    since: SINCE,
    silentMs,
    canBeAsked,
  });
}

function active(sim: Simulation, id: string): void {
  sim.see({ kind: 'agent-active', taskId: id, launchId: launchOf(sim, id) });
}

function waits(sim: Simulation, id: string, reason = 'asks for permission'): void {
  sim.see({ kind: 'agent-waits', taskId: id, launchId: launchOf(sim, id), reason });
}

function report(sim: Simulation, id: string, state: 'waiting' | 'working'): void {
  const launchId = launchOf(sim, id);
  sim.ask({ kind: 'task.report', taskId: id, state, text: null, launchId }, 'agent');
}

/** What a daemon that starts now would know of the agent. */
function afterRestart(sim: Simulation, id: string) {
  const { attention } = replayHistory(sim.history(id));
  return attention === null ? null : { kind: attention.kind, wasPolled: attention.wasPolled };
}

describe('an agent that falls silent', () => {
  it('F63 is shown, asked, and in the end called stalled, with one event each and never ended', () => {
    const { sim, id } = atWork();
    const before = sim.task(id);
    silent(sim, id, 'amber');
    expect(currentAttention(sim.task(id))).toMatchObject({ kind: 'quiet', since: SINCE });
    expect(sim.carryOut()).toEqual([]);
    silent(sim, id, 'poll');
    expect(sim.carryOut()).toMatchObject([
      { kind: 'tell-agent', window: 'worker', message: { kind: 'poll', silentMinutes: 15 } },
    ]);
    silent(sim, id, 'stall');
    expect(sim.carryOut()).toMatchObject([{ kind: 'notify-human', cause: 'stalled' }]);
    expect(currentAttention(sim.task(id))).toMatchObject({ kind: 'stalled', wasPolled: true });
    expect(eventsOf(sim.history(id), 'agent.stalled')).toMatchObject([
      { silent_minutes: 20, since: SINCE, launch: launchOf(sim, id) },
    ]);
    expect(eventsOf(sim.history(id), 'progress.polled')).toHaveLength(1);
    expect(sim.task(id).fields).toEqual(before.fields);
    expect(sim.task(id).worker).toEqual(before.worker);
  });

  it('F63 leaves one event however often its silence is seen', () => {
    const { sim, id } = atWork();
    for (const rung of ['amber', 'amber', 'poll', 'poll', 'stall', 'stall', 'poll'] as const) {
      silent(sim, id, rung);
    }
    sim.carryOut();
    expect(eventsOf(sim.history(id), 'progress.polled')).toHaveLength(1);
    expect(eventsOf(sim.history(id), 'agent.stalled')).toHaveLength(1);
  });

  it('is not asked while its screen is busy, and is stalled all the same', () => {
    const { sim, id } = atWork();
    silent(sim, id, 'poll', false);
    expect(currentAttention(sim.task(id))).toMatchObject({ kind: 'quiet', wasPolled: false });
    silent(sim, id, 'stall', false);
    expect(sim.carryOut().map(({ kind }) => kind)).toEqual(['notify-human']);
  });

  it('is left in peace when the question cannot be delivered', () => {
    const { sim, id } = atWork();
    silent(sim, id, 'poll');
    sim.carryOut((effect) => fail(effect, { kind: 'not-found', what: 'window', name: 'worker' }));
    expect(sim.owed).toEqual([]);
    expect(eventTypes(sim.history(id))).not.toContain('message.undelivered');
  });

  it.each(['amber', 'poll', 'stall'] as const)('comes back by any activity after %s', (rung) => {
    const { sim, id } = atWork();
    silent(sim, id, rung);
    sim.carryOut();
    active(sim, id);
    active(sim, id);
    expect(currentAttention(sim.task(id))).toBeNull();
    const after = { amber: [], poll: ['polled'], stall: ['stalled'] }[rung];
    expect(eventsOf(sim.history(id), 'agent.resumed').map((event) => event['after'])).toEqual(
      after,
    );
  });

  it('is another one after a move or a new start', () => {
    const { sim, id } = atWork();
    silent(sim, id, 'stall');
    sim.carryOut();
    sim.ask({ kind: 'task.update', taskId: id, status: 'clarification' }, 'agent');
    sim.carryOut();
    expect(sim.task(id).attention).toBeNull();
    sim.ask({ kind: 'task.update', taskId: id, status: 'working' });
    sim.carryOut();
    silent(sim, id, 'stall');
    sim.end(id, 'worker');
    sim.wait(5000, id);
    sim.carryOut();
    expect(currentAttention(sim.task(id))).toBeNull();
    expect(afterRestart(sim, id)).toBeNull();
  });

  it('is heard no more once its task waits for a person', () => {
    const { sim, id } = atWork();
    const launchId = launchOf(sim, id);
    sim.ask({ kind: 'task.update', taskId: id, status: 'clarification' }, 'agent');
    sim.carryOut();
    const late = { taskId: id, launchId, since: SINCE, silentMs: 1_200_000, canBeAsked: true };
    sim.see({ kind: 'agent-silent', rung: 'stall', ...late });
    sim.see({ kind: 'agent-waits', taskId: id, launchId, reason: 'asks' });
    expect(sim.task(id).attention).toBeNull();
    expect(sim.owed).toEqual([]);
  });
});

describe('an agent that waits for a person', () => {
  it('is no news while its file asks for the move that says the same', () => {
    const { sim, id } = atWork();
    sim.write(id, { sections: { Questions: '1. Red?' }, fields: { status: 'clarification' } });
    sim.look(id);
    waits(sim, id);
    expect(eventsOf(sim.history(id), 'agent.waiting')).toEqual([]);
    expect(sim.owed).toEqual([]);
    sim.settle(id);
    expect(sim.task(id).fields.status).toBe('clarification');
    expect(sim.carryOut()).toMatchObject([{ kind: 'notify-human', cause: 'clarification' }]);
    expect(eventsOf(sim.history(id), 'agent.waiting')).toEqual([]);
  });

  it('F63 is told once, does not stall, and goes on by any activity', () => {
    const { sim, id } = atWork();
    waits(sim, id);
    waits(sim, id, 'asks for permission again');
    silent(sim, id, 'stall', false);
    expect(sim.carryOut()).toMatchObject([{ kind: 'notify-human', cause: 'waiting-for-human' }]);
    expect(currentAttention(sim.task(id))).toMatchObject({
      kind: 'waiting-for-human',
      reason: 'asks for permission',
    });
    active(sim, id);
    const types = eventTypes(sim.history(id)).slice(-2);
    expect(types).toEqual(['agent.waiting', 'agent.resumed']);
    waits(sim, id);
    expect(sim.carryOut()).toHaveLength(1);
  });
});

describe('a daemon that starts again', () => {
  it('knows from the history how the agent was getting on', () => {
    const { sim, id } = atWork();
    const seen: unknown[] = [];
    const look = (): void => void seen.push(afterRestart(sim, id));
    look();
    silent(sim, id, 'poll');
    look();
    silent(sim, id, 'stall');
    look();
    waits(sim, id);
    look();
    active(sim, id);
    look();
    expect(seen).toEqual([
      null,
      { kind: 'quiet', wasPolled: true },
      { kind: 'stalled', wasPolled: true },
      { kind: 'waiting-for-human', wasPolled: false },
      null,
    ]);
  });

  it('knows the very same attention that was shown before', () => {
    const { sim, id } = atWork();
    for (const step of [
      () => silent(sim, id, 'poll'),
      () => silent(sim, id, 'stall'),
      () => waits(sim, id),
    ]) {
      step();
      expect(replayHistory(sim.history(id)).attention).toEqual(sim.task(id).attention);
    }
  });

  it('F63 knows it after any sequence of silence, activity, waiting and reports', () => {
    const steps: readonly ((sim: Simulation, id: string) => void)[] = [
      (sim, id) => silent(sim, id, 'amber'),
      (sim, id) => silent(sim, id, 'poll'),
      (sim, id) => silent(sim, id, 'stall', false),
      active,
      waits,
      (sim, id) => report(sim, id, 'waiting'),
      (sim, id) => report(sim, id, 'working'),
      (sim, id) => void sim.end(id, 'worker'),
      (sim, id) => sim.wait(5000, id),
      (sim) => void sim.carryOut(),
    ];
    const sequence = fc.array(fc.nat({ max: steps.length - 1 }), { maxLength: 15 });
    fc.assert(
      fc.property(sequence, (indices) => {
        const { sim, id } = atWork();
        for (const index of indices) steps[index]?.(sim, id);
        const live = sim.task(id).attention;
        // A quiet moment that led to nothing leaves no trace; the ladder finds it again.
        const isRecorded = live !== null && (live.kind !== 'quiet' || live.wasPolled);
        const known = replayHistory(sim.history(id)).attention;
        const isOver = currentAttention(sim.task(id)) === null;
        expect(isOver ? null : known).toEqual(isOver || !isRecorded ? null : live);
      }),
      { numRuns: 150 },
    );
  });
});
