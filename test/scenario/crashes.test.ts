import { describe, expect, it } from 'vitest';
import { isTerminal } from '../../src/domain/status.js';
import { sessionState } from '../../src/domain/session.js';
import { isRunning } from '../../src/engine/world-queries.js';
import { fail } from '../fakes/answer-effect.js';
import { eventsOf, movesOf } from '../fakes/history-queries.js';
import { buildProject, buildSettings, buildWorld } from '../builders/world.js';
import { Simulation } from '../fakes/simulation.js';

const PLAN = { Plan: 'APPROACH: the short way' };

function atWork(): { readonly sim: Simulation; readonly id: string } {
  const sim = new Simulation(buildWorld());
  const id = sim.create();
  sim.carryOut();
  sim.writeAndSettle(id, PLAN);
  return { sim, id };
}

function session(sim: Simulation, id: string): string {
  const { fields, worker, reviewer } = sim.task(id);
  return sessionState({
    tmuxSession: fields.tmux_session,
    isAlive: isRunning(worker) || isRunning(reviewer),
    status: fields.status,
  });
}

describe('a worker that dies', () => {
  it('is counted, brought back after the back-off, and given up on at the limit', () => {
    const { sim, id } = atWork();
    sim.end(id, 'worker', { status: 137, hasScreen: true });
    expect(sim.task(id).fields).toMatchObject({ status: 'working', crash_count: 1 });
    expect(sim.carryOut()).toMatchObject([{ kind: 'keep-screen' }]);
    sim.wait(4998, id);
    expect(sim.owed).toEqual([]);
    sim.wait(1, id);
    expect(sim.carryOut()).toMatchObject([{ kind: 'start-agent', isResuming: true }]);
    sim.end(id, 'worker');
    expect(sim.task(id).fields).toMatchObject({ status: 'stuck', crash_count: 2 });
    sim.carryOut();
    sim.wait(600_000, id);
    expect(sim.owed).toEqual([]);
    expect(eventsOf(sim.history(id), 'agent.crashed').map((event) => event['crash_count'])).toEqual(
      [1, 2],
    );
  });

  it('keeps the last lines of its screen under the name that the history gives', () => {
    const { sim, id } = atWork();
    sim.end(id, 'worker', { hasScreen: true });
    const [crash] = eventsOf(sim.history(id), 'agent.crashed');
    const [keeping] = sim.carryOut();
    if (keeping?.kind !== 'keep-screen') throw new Error(`not kept: ${JSON.stringify(keeping)}`);
    expect(crash?.['transcript']).toBe(`transcripts/${keeping.transcript}`);
    expect(keeping.window).toBe('worker');
  });

  it('begins again from nought when the task has moved on', () => {
    const { sim, id } = atWork();
    sim.end(id, 'worker');
    sim.wait(5000, id);
    sim.carryOut();
    sim.writeAndSettle(id, { Handoff: 'DONE: all' });
    expect(sim.task(id).fields).toMatchObject({ status: 'agent-review', crash_count: 0 });
  });

  it('keeps its count in stuck, and loses it when a human goes on', () => {
    const { sim, id } = atWork();
    sim.end(id, 'worker');
    sim.wait(5000, id);
    sim.carryOut();
    sim.end(id, 'worker');
    expect(sim.task(id).fields.crash_count).toBe(2);
    sim.ask({ kind: 'task.update', taskId: id, status: 'working' });
    expect(sim.task(id).fields).toMatchObject({ status: 'working', crash_count: 0 });
    const effects = sim.carryOut().map(({ kind }) => kind);
    expect(effects).toEqual(['notify-human', 'start-agent']);
  });

  it('is counted once, however often its end is seen', () => {
    const { sim, id } = atWork();
    const { worker } = sim.task(id);
    sim.end(id, 'worker');
    for (const _ of [1, 2, 3]) {
      if (worker.kind !== 'live') throw new Error('no worker');
      const exit = { status: 1, signal: null, hasScreen: false };
      const { launchId, window } = worker;
      sim.see({ kind: 'agent-ended', taskId: id, role: 'worker', launchId, window, exit });
    }
    expect(sim.task(id).fields.crash_count).toBe(1);
  });

  it.each(['clarification', 'stuck'] as const)(
    'in %s is shown as crashed and written down once, and nothing else',
    (status) => {
      const { sim, id } = atWork();
      sim.ask({ kind: 'task.update', taskId: id, status }, 'agent');
      sim.carryOut();
      const before = sim.history(id);
      sim.end(id, 'worker', { hasScreen: true });
      expect(sim.carryOut()).toMatchObject([{ kind: 'keep-screen' }]);
      sim.wait(600_000, id);
      expect(sim.owed).toEqual([]);
      expect(sim.task(id)).toMatchObject({ fields: { status, crash_count: 0 }, restarts: [] });
      expect(sim.history(id).slice(before.length)).toMatchObject([{ type: 'agent.ended', status }]);
      expect(session(sim, id)).toBe('crashed');
    },
  );

  it('after a Handoff is no news: the move that it led to names its launch', () => {
    const { sim, id } = atWork();
    const { worker } = sim.task(id);
    sim.write(id, { sections: { Handoff: 'DONE: all' } });
    sim.end(id, 'worker', { status: 0 });
    sim.carryOut();
    const launch = worker.kind === 'live' ? worker.launchId : '';
    expect(sim.history(id).findLast(({ to }) => to === 'agent-review')).toMatchObject({
      ended: launch,
    });
    expect(eventsOf(sim.history(id), 'agent.ended')).toEqual([]);
    sim.writeAndSettle(id, { Review: 'Verdict: PASS' });
    sim.carryOut();
    expect(sim.task(id).fields.status).toBe('reviewing');
    expect(eventsOf(sim.history(id), 'agent.ended')).toEqual([]);
  });

  it('after a Handoff, but not in good order, is written down', () => {
    const { sim, id } = atWork();
    sim.write(id, { sections: { Handoff: 'DONE: all' } });
    sim.end(id, 'worker', { status: 137 });
    sim.carryOut();
    expect(sim.history(id).slice(-3)).toMatchObject([
      { type: 'auto.advanced', to: 'agent-review' },
      { type: 'review.started' },
      { type: 'agent.ended', status: 'agent-review', exit_status: 137 },
    ]);
    expect(sim.history(id).at(-3)).not.toHaveProperty('ended');
  });

  it('is not missed when orange itself has ended it', () => {
    const { sim, id } = atWork();
    sim.writeAndSettle(id, { Handoff: 'DONE: all' });
    sim.carryOut();
    const { worker, reviewer } = sim.task(id);
    sim.writeAndSettle(id, { Review: 'Verdict: PASS' });
    sim.ask({ kind: 'task.cancel', taskId: id, reason: null });
    sim.carryOut();
    const exit = { status: 143, signal: 'SIGTERM', hasScreen: true };
    for (const [role, agent] of [['worker', worker] as const, ['reviewer', reviewer] as const]) {
      if (agent.kind !== 'live') throw new Error(`no ${role}`);
      const { launchId, window } = agent;
      sim.see({ kind: 'agent-ended', taskId: id, role, launchId, window, exit });
    }
    expect(eventsOf(sim.history(id), 'agent.ended')).toEqual([]);
  });

  it('is started again with the answer, when a human answers a question', () => {
    const { sim, id } = atWork();
    sim.ask({ kind: 'task.update', taskId: id, status: 'clarification' }, 'agent');
    sim.end(id, 'worker');
    sim.carryOut();
    sim.ask({ kind: 'task.update', taskId: id, status: 'working' });
    expect(sim.carryOut()).toMatchObject([
      { kind: 'start-agent', isResuming: true, message: { kind: 'go-on', status: 'working' } },
    ]);
  });

  it('stays dead where auto_respawn is off, until somebody asks', () => {
    const settings = buildSettings({ policy: { autoRespawn: false } });
    const sim = new Simulation(buildWorld({ settings }));
    const id = sim.create();
    sim.carryOut();
    sim.end(id, 'worker');
    sim.wait(600_000, id);
    expect(sim.carryOut()).toEqual([{ kind: 'notify-human', taskId: id, cause: 'crashed' }]);
    sim.wait(600_000, id);
    expect(sim.owed).toEqual([]);
    sim.ask({ kind: 'task.respawn', taskId: id });
    expect(sim.carryOut()).toMatchObject([{ kind: 'start-agent', isResuming: true }]);
  });
});

describe('a reviewer that dies', () => {
  it('is judged by itself: brought back, then the task is stuck, the worker untouched', () => {
    const { sim, id } = atWork();
    sim.writeAndSettle(id, { Handoff: 'DONE: all' });
    sim.carryOut();
    const { worker } = sim.task(id);
    sim.end(id, 'reviewer');
    expect(sim.task(id).fields).toMatchObject({ status: 'agent-review', crash_count: 1 });
    sim.wait(5000, id);
    expect(sim.carryOut()).toMatchObject([
      { kind: 'start-agent', role: 'reviewer', window: 'review-1' },
    ]);
    sim.end(id, 'reviewer');
    expect(sim.task(id).fields).toMatchObject({ status: 'stuck', crash_count: 2 });
    expect(sim.task(id).worker).toEqual(worker);
  });
});

describe('restarts without end', () => {
  it('F62 G11 are three within a minute, then the task is stuck, with no back-off at all', () => {
    const policy = { crashLimit: 1000, respawnBackoffSeconds: [0] };
    const sim = new Simulation(buildWorld({ settings: buildSettings({ policy }) }));
    const id = sim.create();
    sim.carryOut();
    for (let round = 0; round < 20; round += 1) {
      sim.end(id, 'worker');
      sim.wait(1000, id);
      sim.carryOut();
    }
    expect(sim.task(id).fields).toMatchObject({ status: 'stuck', crash_count: 4 });
    expect(eventsOf(sim.history(id), 'agent.spawned')).toHaveLength(4);
    expect(sim.task(id).stuckBecause).toContain('3 times within 60 s');
  });

  it('F53 G11 of 12 tasks whose server died: ten within the first minute, then the rest', () => {
    const sim = new Simulation(buildWorld({ projects: [buildProject({ pool_size: 12 })] }));
    const ids = Array.from({ length: 12 }, () => sim.create());
    sim.carryOut();
    for (const id of ids) sim.end(id, 'worker', { interruptedBy: 'server' });
    const spawns = (id: string): number => eventsOf(sim.history(id), 'agent.spawned').length;
    const restarted = (): number => ids.filter((id) => spawns(id) === 2).length;
    const pass = (seconds: number): void => {
      for (let second = 0; second < seconds; second += 1) {
        sim.carryOut();
        sim.elapsedMs += 1000;
        for (const id of ids) sim.see({ kind: 'reconsider', taskId: id });
      }
      sim.carryOut();
    };
    pass(20);
    expect(restarted()).toBe(10);
    pass(30);
    expect(restarted()).toBe(10);
    pass(30);
    expect(ids.map(spawns)).toEqual(ids.map(() => 2));
    for (const id of ids) {
      expect(sim.task(id).fields.crash_count).toBe(0);
      expect(eventsOf(sim.history(id), 'agent.interrupted')).toHaveLength(1);
      expect(eventsOf(sim.history(id), 'agent.crashed')).toEqual([]);
    }
  });

  it('by a person say so, and which living agent was ended for them', () => {
    const { sim, id } = atWork();
    const { worker } = sim.task(id);
    sim.ask({ kind: 'task.respawn', taskId: id });
    sim.carryOut();
    const replaced = worker.kind === 'live' ? worker.launchId : '';
    const last = () => sim.history(id).findLast(({ type }) => type === 'agent.spawned');
    expect(last()).toMatchObject({ by: 'human', replaced });
    sim.end(id, 'worker');
    sim.ask({ kind: 'task.respawn', taskId: id });
    sim.carryOut();
    expect(last()).toMatchObject({ by: 'human' });
    expect(last()).not.toHaveProperty('replaced');
    sim.writeAndSettle(id, { Handoff: 'DONE: all' });
    sim.carryOut();
    expect(eventsOf(sim.history(id), 'review.started').at(-1)).not.toHaveProperty('by');
    sim.ask({ kind: 'task.respawn', taskId: id });
    sim.carryOut();
    expect(eventsOf(sim.history(id), 'review.started').at(-1)).toMatchObject({
      by: 'human',
      replaced: expect.stringContaining('review-1'),
    });
  });

  it('G11 by a person are not limited, but count', () => {
    const { sim, id } = atWork();
    for (let round = 0; round < 5; round += 1) {
      sim.ask({ kind: 'task.respawn', taskId: id });
      sim.carryOut();
    }
    expect(eventsOf(sim.history(id), 'agent.spawned')).toHaveLength(6);
    sim.end(id, 'worker');
    sim.wait(5000, id);
    expect(sim.task(id).fields.status).toBe('stuck');
  });
});

describe('a start that fails', () => {
  it('leaves a pending task pending, says why, and tries again later', () => {
    const sim = new Simulation(buildWorld());
    const id = sim.create();
    expect(sim.carryOut(fail)).toMatchObject([
      { kind: 'start-agent' },
      { kind: 'notify-human', cause: 'start-failed' },
    ]);
    expect(sim.task(id)).toMatchObject({
      fields: { status: 'pending', workspace: null, tmux_session: null },
      reservedWorkspace: null,
      startTrouble: { failures: 1 },
    });
    expect(eventsOf(sim.history(id), 'spawn.failed')).toHaveLength(1);
    sim.wait(4998);
    expect(sim.owed).toEqual([]);
    sim.wait(1);
    sim.carryOut();
    expect(sim.task(id)).toMatchObject({ fields: { status: 'planning' }, startTrouble: null });
  });

  it('of an agent that is brought back counts as a crash', () => {
    const { sim, id } = atWork();
    sim.end(id, 'worker');
    sim.wait(5000, id);
    sim.carryOut((effect) => (effect.kind === 'start-agent' ? fail(effect) : null));
    expect(sim.task(id).fields).toMatchObject({ status: 'stuck', crash_count: 2 });
    expect(movesOf(sim.history(id)).at(-1)).toBe('working>stuck');
    const reasons = eventsOf(sim.history(id), 'agent.crashed').map((event) => event['reason']);
    expect(reasons).toEqual(['no ## Handoff', expect.stringContaining('could not start')]);
  });
});

describe('the session of a task', () => {
  it('ORA-75 ORA-76 ORA-77 ORA-78 ORA-79 is active, crashed or inactive by its agents, whatever the status', () => {
    const { sim, id } = atWork();
    expect(session(sim, id)).toBe('active');
    sim.end(id, 'worker');
    expect(session(sim, id)).toBe('crashed');
    sim.ask({ kind: 'task.cancel', taskId: id, reason: null });
    expect(isTerminal(sim.task(id).fields.status)).toBe(true);
    expect(session(sim, id)).toBe('inactive');
    sim.carryOut();
    expect(session(sim, id)).toBe('inactive');
  });
});
