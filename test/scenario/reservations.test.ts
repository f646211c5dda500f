import { describe, expect, it } from 'vitest';
import type { Policy } from '../../src/domain/settings.js';
import type { ManualLock } from '../../src/domain/lock.js';
import { explainTask } from '../../src/engine/inbox.js';
import { replayHistory } from '../../src/engine/replay-history.js';
import { explainWait } from '../../src/engine/schedule.js';
import { buildProject, buildSettings, buildWorld, momentAt } from '../builders/world.js';
import { eventsOf } from '../fakes/history-queries.js';
import { Simulation } from '../fakes/simulation.js';

type Parts = {
  readonly mode?: 'warn' | 'block';
  readonly policy?: Partial<Policy>;
  readonly locks?: readonly ManualLock[];
};

function simulate({ mode = 'block', policy = {}, locks = [] }: Parts = {}): Simulation {
  const reservations = { mode, ttlMinutes: 30 };
  return new Simulation(
    buildWorld({
      projects: [buildProject({ pool_size: 100 })],
      settings: buildSettings({ policy: { reservations, ...policy } }),
      locks,
    }),
  );
}

/** A task with an agent that has just written its Plan. */
function plan(sim: Simulation, touching: string): string {
  const id = sim.create();
  sim.carryOut();
  sim.writeAndSettle(id, { Plan: `APPROACH: x\nTOUCHING: ${touching}` });
  return id;
}

function reasons(sim: Simulation, id: string): readonly string[] {
  return explainTask(sim.kept.world, sim.task(id), momentAt(sim.elapsedMs)).map(({ code }) => code);
}

function status(sim: Simulation, id: string): string {
  return sim.task(id).fields.status;
}

describe('two plans that overlap, where reservations warn', () => {
  it('ORB-66 pass, and both tasks and both workers hear of it once', () => {
    const sim = simulate({ mode: 'warn' });
    const first = plan(sim, 'src/auth/, README.md');
    expect(sim.owed).toEqual([]);
    const second = plan(sim, 'src/auth/login.ts');
    expect([status(sim, first), status(sim, second)]).toEqual(['working', 'working']);
    expect(sim.carryOut()).toMatchObject([
      { kind: 'tell-agent', taskId: first, message: { kind: 'overlap', mustWait: false } },
      { kind: 'tell-agent', taskId: second, message: { kind: 'overlap', mustWait: false } },
    ]);
    for (const [one, other, path] of [
      [first, second, 'src/auth'],
      [second, first, 'src/auth/login.ts'],
    ] as const) {
      expect(eventsOf(sim.history(one), 'reservation.conflict')).toMatchObject([
        { with: other, paths: [path], mode: 'warn' },
      ]);
      expect(reasons(sim, one)).toEqual(['overlap']);
    }
    sim.wait(60_000);
    sim.settle(first);
    expect(sim.owed).toEqual([]);
  });

  it('are no longer told of once one of them is done', () => {
    const sim = simulate({ mode: 'warn' });
    const [first, second] = [plan(sim, 'src/'), plan(sim, 'src/a.ts')];
    sim.carryOut();
    sim.ask({ kind: 'task.cancel', taskId: first, reason: null });
    sim.carryOut();
    expect(reasons(sim, second)).toEqual([]);
  });

  it('are remembered across a restart', () => {
    const sim = simulate({ mode: 'warn' });
    const [first, second] = [plan(sim, 'src/'), plan(sim, 'src/a.ts')];
    expect(replayHistory(sim.history(first)).reservation).toEqual(sim.task(first).reservation);
    expect(sim.task(first).reservation.warnedOf).toEqual([second]);
  });

  it('ORB-64 of different projects have nothing to do with each other', () => {
    const sim = new Simulation(
      buildWorld({ projects: [buildProject(), buildProject({ name: 'shed', path: '/shed' })] }),
    );
    const first = plan(sim, 'src/');
    const second = sim.create({ project: 'shed' });
    sim.carryOut();
    sim.writeAndSettle(second, { Plan: 'TOUCHING: src/' });
    expect([reasons(sim, first), reasons(sim, second)]).toEqual([[], []]);
  });

  it('leave a worker in peace that waits for its review', () => {
    const sim = simulate({ mode: 'warn' });
    const first = plan(sim, 'src/');
    sim.writeAndSettle(first, { Handoff: 'DONE: x' });
    sim.carryOut();
    const second = plan(sim, 'src/a.ts');
    const told = sim.carryOut().filter(({ kind }) => kind === 'tell-agent');
    expect(told.map(({ taskId }) => taskId)).toEqual([second]);
    expect(eventsOf(sim.history(first), 'reservation.conflict')).toHaveLength(1);
  });

  it('are told of even if there are many of them', () => {
    const sim = simulate({ mode: 'warn' });
    const ids = Array.from({ length: 30 }, () => plan(sim, 'src/'));
    for (const id of ids) expect(reasons(sim, id)).toEqual(['overlap']);
  });

  it('are told of when a plan is widened later, and hold nobody up', () => {
    const sim = simulate({ mode: 'block' });
    const [first, second] = [plan(sim, 'src/a.ts'), plan(sim, 'src/b.ts')];
    sim.writeAndSettle(second, { Plan: 'APPROACH: x\nTOUCHING: src/a.ts, src/b.ts' });
    sim.wait(30_000);
    expect(reasons(sim, first)).toEqual(['overlap']);
    expect([status(sim, first), status(sim, second)]).toEqual(['working', 'working']);
  });
});

describe('two plans that overlap, where reservations block', () => {
  it('ORB-66 hold the second until the first is done, which it hears at once', () => {
    const sim = simulate();
    const first = plan(sim, 'src/');
    const second = plan(sim, 'src/a.ts, docs/');
    expect(status(sim, second)).toBe('planning');
    expect(sim.carryOut()).toMatchObject([
      { kind: 'tell-agent', taskId: second, message: { kind: 'overlap', mustWait: true } },
    ]);
    expect(eventsOf(sim.history(second), 'reservation.denied')).toMatchObject([
      { with: [first], paths: ['src/a.ts'] },
    ]);
    expect(reasons(sim, second)).toEqual(['reserved']);
    expect(reasons(sim, first)).toEqual([]);
    sim.wait(30_000, second);
    sim.settle(second);
    expect(eventsOf(sim.history(second), 'reservation.denied')).toHaveLength(1);
    sim.ask({ kind: 'task.update', taskId: first, status: 'done' });
    expect(status(sim, second)).toBe('working');
    expect(sim.carryOut()).toContainEqual(
      expect.objectContaining({
        kind: 'tell-agent',
        message: { kind: 'go-on', status: 'working' },
      }),
    );
    expect(reasons(sim, second)).toEqual([]);
  });

  it.each(['cancelled', 'pending'] as const)('let the second go on when the first is %s', (to) => {
    const sim = simulate();
    const first = plan(sim, 'src/');
    const second = plan(sim, 'src/a.ts');
    sim.carryOut();
    sim.ask(
      to === 'cancelled'
        ? { kind: 'task.cancel', taskId: first, reason: null }
        : { kind: 'task.update', taskId: first, status: to },
    );
    expect(status(sim, second)).toBe('working');
  });

  it('hold on while the first is reviewed, asks, or is stuck', () => {
    const sim = simulate();
    const first = plan(sim, 'src/');
    const second = plan(sim, 'src/a.ts');
    sim.carryOut();
    sim.ask({ kind: 'task.update', taskId: first, status: 'clarification' }, 'agent');
    expect(status(sim, second)).toBe('planning');
    sim.ask({ kind: 'task.update', taskId: first, status: 'working' });
    sim.ask({ kind: 'task.update', taskId: first, status: 'stuck' });
    expect(status(sim, second)).toBe('planning');
    sim.ask({ kind: 'task.update', taskId: first, status: 'reviewing' });
    expect(status(sim, second)).toBe('planning');
  });

  it('let the one that waits take all it needs at once, so that no two wait for each other', () => {
    const sim = simulate();
    const [a, b] = [plan(sim, 'a'), plan(sim, 'b')];
    const both = plan(sim, 'a, b');
    const alsoA = plan(sim, 'a');
    sim.ask({ kind: 'task.cancel', taskId: b, reason: null });
    expect([status(sim, both), status(sim, alsoA)]).toEqual(['planning', 'planning']);
    sim.ask({ kind: 'task.cancel', taskId: a, reason: null });
    expect([status(sim, both), status(sim, alsoA)]).toEqual(['working', 'planning']);
    expect(reasons(sim, alsoA)).toEqual(['reserved']);
  });

  it('let a plan pass that is rewritten to do without', () => {
    const sim = simulate();
    plan(sim, 'src/');
    const second = plan(sim, 'src/a.ts');
    sim.writeAndSettle(second, { Plan: 'APPROACH: x\nTOUCHING: docs/' });
    expect(status(sim, second)).toBe('working');
  });

  it('do not hold up for areas, which are only words', () => {
    const sim = simulate();
    const [first, second] = [plan(sim, 'auth area'), plan(sim, 'auth area')];
    expect(status(sim, second)).toBe('working');
    expect(reasons(sim, first)).toEqual(['overlap']);
  });

  it('refuse an agent that asks to go on, and obey a person', () => {
    const sim = simulate();
    plan(sim, 'src/');
    const second = plan(sim, 'src/a.ts');
    const asked = { kind: 'task.update', taskId: second, status: 'working' } as const;
    expect(sim.ask(asked, 'agent').failure).toMatchObject({ because: { kind: 'reserved' } });
    sim.write(second, { fields: { status: 'working' } });
    sim.settle(second);
    expect(status(sim, second)).toBe('planning');
    sim.ask(asked);
    expect(status(sim, second)).toBe('working');
  });

  it('remember that a person approved a plan which still has to wait', () => {
    const gates = { start: 'auto', plan: 'human', review: 'ai', merge: 'human' } as const;
    const sim = simulate({ policy: { gates } });
    const first = plan(sim, 'src/');
    sim.ask({ kind: 'task.approve', taskId: first, gate: null, text: '' });
    const second = plan(sim, 'src/a.ts');
    sim.ask({ kind: 'task.approve', taskId: second, gate: null, text: '' });
    expect(status(sim, second)).toBe('planning');
    expect(reasons(sim, second)).toEqual(['reserved']);
    expect(replayHistory(sim.history(second)).gates).toEqual(sim.task(second).gates);
    sim.ask({ kind: 'task.cancel', taskId: first, reason: null });
    expect(status(sim, second)).toBe('working');
  });

  it('start the agent again that ended while its plan waited', () => {
    const sim = simulate();
    const first = plan(sim, 'src/');
    const second = plan(sim, 'src/a.ts');
    sim.carryOut();
    sim.end(second, 'worker', { status: 0 });
    expect(status(sim, second)).toBe('planning');
    expect(sim.task(second).fields.crash_count).toBe(0);
    sim.ask({ kind: 'task.cancel', taskId: first, reason: null });
    expect(sim.owed).toContainEqual(
      expect.objectContaining({ kind: 'start-agent', taskId: second }),
    );
  });

  it('keep a task pending that declares what others have, with a reason', () => {
    const sim = simulate();
    const first = plan(sim, 'src/');
    const second = sim.create({ extensions: { touching: ['src/a.ts'] } });
    sim.carryOut();
    expect(status(sim, second)).toBe('pending');
    const waits = explainWait(sim.kept.world, sim.task(second), momentAt(sim.elapsedMs));
    expect(waits).toMatchObject([{ code: 'reserved' }]);
    sim.ask({ kind: 'task.cancel', taskId: first, reason: null });
    sim.carryOut();
    expect(status(sim, second)).toBe('planning');
  });

  it('heed what somebody reserved by hand', () => {
    const lock = {
      id: 'lock-abcd',
      project: 'shop',
      paths: ['src/ui/'],
      taskId: null,
      name: 'Pat',
      since: '2026-01-01T00:00:00Z',
      expiresAt: null,
      ttlMinutes: 30,
    };
    const sim = simulate({ locks: [lock] });
    const id = plan(sim, 'src/ui/button.ts');
    expect(status(sim, id)).toBe('planning');
    expect(eventsOf(sim.history(id), 'reservation.denied')).toMatchObject([{ holders: ['Pat'] }]);
  });
});
