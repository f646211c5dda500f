import { describe, expect, it } from 'vitest';
import { fail } from '../fakes/answer-effect.js';
import { eventsOf } from '../fakes/history-queries.js';
import { buildProject, buildWorld } from '../builders/world.js';
import { Simulation } from '../fakes/simulation.js';

function poolOf(size: number): Simulation {
  return new Simulation(buildWorld({ projects: [buildProject({ pool_size: size })] }));
}

describe('the slots of a project', () => {
  it('are filled by priority and age, and the next task starts when one is free again', () => {
    const sim = poolOf(1);
    const first = sim.create();
    const second = sim.create();
    sim.elapsedMs += 1;
    const urgent = sim.create({ extensions: { priority: 'critical' } });
    sim.carryOut();
    expect(sim.task(first).fields.status).toBe('planning');
    expect(sim.task(second).fields.status).toBe('pending');
    sim.ask({ kind: 'task.cancel', taskId: first, reason: null });
    sim.carryOut();
    expect(sim.task(first).fields.workspace).toBeNull();
    expect(sim.task(urgent).fields).toMatchObject({ status: 'planning', workspace: 'shop--1' });
    expect(sim.task(second).fields.status).toBe('pending');
  });

  it('are not given away before the worktree is clean', () => {
    const sim = poolOf(1);
    const first = sim.create();
    const second = sim.create();
    sim.carryOut();
    sim.ask({ kind: 'task.cancel', taskId: first, reason: null });
    expect(sim.owed).toMatchObject([{ kind: 'release-workspace', taskId: first }]);
    expect(sim.task(second).activity).toBeNull();
  });

  it('go to the task that was waiting for another one to be done', () => {
    const sim = poolOf(2);
    const first = sim.create();
    const second = sim.create({ extensions: { blocked_by: [first] } });
    sim.carryOut();
    expect(sim.task(second).fields.status).toBe('pending');
    sim.ask({ kind: 'task.update', taskId: first, status: 'done' });
    sim.carryOut();
    expect(sim.task(second).fields.status).toBe('planning');
  });

  it('never go to a task whose blocker was cancelled', () => {
    const sim = poolOf(2);
    const first = sim.create();
    const second = sim.create({ extensions: { blocked_by: [first] } });
    sim.carryOut();
    sim.ask({ kind: 'task.cancel', taskId: first, reason: null });
    sim.carryOut();
    sim.wait(86_400_000);
    expect(sim.task(second).fields.status).toBe('pending');
  });

  it.each([
    ['agent-review', 'reviewer'],
    ['clarification', 'worker'],
  ] as const)('reach a task that began in %s while they were full', (status, role) => {
    const sim = poolOf(1);
    const first = sim.create();
    sim.carryOut();
    const late = sim.create({ status });
    if (status === 'clarification') {
      sim.ask({ kind: 'task.update', taskId: late, status: 'planning' });
    }
    expect(sim.owed).toEqual([]);
    sim.ask({ kind: 'task.cancel', taskId: first, reason: null });
    expect(sim.carryOut()).toMatchObject([
      { kind: 'release-workspace' },
      { kind: 'start-agent', taskId: late, role, workspace: 'shop--1' },
    ]);
    expect(sim.task(late).fields.workspace).toBe('shop--1');
  });

  it('pass over a worktree that could not be cleaned', () => {
    const sim = poolOf(1);
    const first = sim.create();
    sim.carryOut();
    sim.ask({ kind: 'task.cancel', taskId: first, reason: null });
    sim.carryOut((effect) => (effect.kind === 'release-workspace' ? fail(effect) : null));
    expect(sim.task(first).fields).toMatchObject({ status: 'cancelled', workspace: null });
    expect(eventsOf(sim.history(first), 'workspace.quarantined')).toHaveLength(1);
    const second = sim.create();
    sim.carryOut();
    expect(sim.task(second).fields.workspace).toBe('shop--2');
  });

  it('stay with a task that asks to be cancelled while it is being started', () => {
    const sim = poolOf(1);
    const id = sim.create();
    sim.ask({ kind: 'task.cancel', taskId: id, reason: null });
    expect(sim.failures).toEqual([{ kind: 'agent-busy', taskId: id, doing: 'starting' }]);
    sim.carryOut();
    sim.ask({ kind: 'task.cancel', taskId: id, reason: null });
    expect(sim.carryOut().map(({ kind }) => kind)).toEqual(['release-workspace']);
    expect(sim.task(id).fields).toMatchObject({ status: 'cancelled', workspace: null });
  });

  it('are held by a task in reviewing until it is merged or given up', () => {
    const sim = poolOf(1);
    const first = sim.create();
    sim.carryOut();
    sim.writeAndSettle(first, { Plan: 'APPROACH: x', Handoff: 'DONE: y' });
    sim.carryOut();
    sim.writeAndSettle(first, { Review: 'Verdict: PASS' });
    const second = sim.create();
    sim.carryOut();
    expect(sim.task(second).fields.status).toBe('pending');
    sim.ask({ kind: 'task.merge', taskId: first, strategy: null, push: null, message: null });
    sim.carryOut((effect) => (effect.kind === 'merge-branch' ? fail(effect) : null));
    expect(sim.task(first)).toMatchObject({ fields: { status: 'reviewing' }, activity: null });
    expect(sim.task(first).mergeTrouble).toContain('broken');
    sim.ask({ kind: 'task.merge', taskId: first, strategy: null, push: null, message: null });
    sim.carryOut();
    expect(sim.task(first).fields.status).toBe('done');
    expect(sim.task(second).fields.status).toBe('planning');
  });
});
