import { describe, expect, it } from 'vitest';
import { buildSettings, buildWorld } from '../builders/world.js';
import { eventTypes, movesOf } from '../fakes/history-queries.js';
import { Simulation } from '../fakes/simulation.js';

const PLAN = { Plan: 'APPROACH: a CSS variable per colour' };
const HANDOFF = { Handoff: 'DONE: the theme' };
const PASS = { Review: 'Verdict: PASS' };

describe('the way of a task from its creation to its merge', () => {
  it('ORA-63 ORA-64 ORA-65 ORA-66 ORA-67 ORA-68 ORA-69 ORA-70 goes through every status by its artifacts alone', () => {
    const sim = new Simulation(buildWorld());
    const id = sim.create({ branch: 'dark-mode' });
    expect(sim.carryOut().map(({ kind }) => kind)).toEqual(['start-agent']);
    expect(sim.task(id).fields).toMatchObject({
      status: 'planning',
      workspace: 'shop--1',
      tmux_session: 'shop/dark-mode',
    });
    sim.writeAndSettle(id, PLAN);
    expect(sim.task(id).fields.status).toBe('working');
    sim.writeAndSettle(id, HANDOFF);
    expect(sim.task(id).fields).toMatchObject({ status: 'agent-review', review_round: 1 });
    sim.carryOut();
    sim.writeAndSettle(id, PASS);
    expect(sim.carryOut().map(({ kind }) => kind)).toEqual([
      'end-window',
      'mark-reviewed',
      'notify-human',
    ]);
    expect(sim.task(id).fields.status).toBe('reviewing');
    sim.ask({ kind: 'task.merge', taskId: id, strategy: null, push: null, message: null });
    expect(sim.carryOut().map(({ kind }) => kind)).toEqual(['merge-branch', 'release-workspace']);
    expect(sim.task(id).fields).toMatchObject({
      status: 'done',
      workspace: null,
      tmux_session: null,
    });
    expect(movesOf(sim.history(id))).toEqual([
      'pending>planning',
      'planning>working',
      'working>agent-review',
      'agent-review>reviewing',
      'reviewing>done',
    ]);
  });

  it('ORA-81 ORA-82 ORA-83 ORA-84 ORA-85 ORA-86 ORA-87 leaves the events of the seed with their keys, in their order', () => {
    const sim = new Simulation(buildWorld());
    const id = sim.create({ branch: 'dark-mode' });
    sim.carryOut();
    sim.writeAndSettle(id, PLAN);
    sim.writeAndSettle(id, HANDOFF);
    sim.carryOut();
    sim.writeAndSettle(id, PASS);
    sim.ask({ kind: 'task.merge', taskId: id, strategy: null, push: null, message: null });
    sim.carryOut();
    const history = sim.history(id);
    expect(eventTypes(history)).toEqual([
      'task.created',
      'agent.spawned',
      'status.changed',
      'auto.advanced',
      'auto.advanced',
      'review.started',
      'auto.advanced',
      'task.merged',
      'status.changed',
      'workspace.salvaged',
    ]);
    expect(history.every((event) => event.type !== '' && event.timestamp.endsWith('Z'))).toBe(true);
    expect(history[0]).toMatchObject({ task_id: id, project: 'shop', branch: 'dark-mode' });
    expect(history[1]).toMatchObject({ workspace: 'shop--1', tmux_session: 'shop/dark-mode' });
    expect(history[2]).toMatchObject({ from: 'pending', to: 'planning' });
    expect(history[3]).toMatchObject({ from: 'planning', to: 'working', reason: '## Plan found' });
    expect(history[4]).toMatchObject({ to: 'agent-review', reason: '## Handoff found' });
    expect(history[7]).toMatchObject({ commit: 'c0ffee' });
  });

  it('ORA-84 asks in the place of the daemon leave status.changed with who asked', () => {
    const sim = new Simulation(buildWorld());
    const id = sim.create();
    sim.carryOut();
    sim.write(id, { sections: PLAN });
    sim.ask({ kind: 'task.update', taskId: id, status: 'working' }, 'agent');
    expect(sim.history(id).at(-1)).toMatchObject({
      type: 'status.changed',
      from: 'planning',
      to: 'working',
      by: 'agent',
    });
  });

  it('an agent that writes Plan and Handoff in one breath goes straight to its review', () => {
    const sim = new Simulation(buildWorld());
    const id = sim.create();
    sim.carryOut();
    sim.writeAndSettle(id, { ...PLAN, ...HANDOFF });
    expect(sim.task(id).fields.status).toBe('agent-review');
    expect(movesOf(sim.history(id))).toEqual([
      'pending>planning',
      'planning>working',
      'working>agent-review',
    ]);
  });

  it('a Plan that was there beforehand is good and needs no freshness', () => {
    const sim = new Simulation(buildWorld());
    const id = sim.create({ extensions: { hold: 'not spawned' } });
    sim.writeAndSettle(id, PLAN);
    sim.ask({ kind: 'task.spawn', taskId: id, force: false });
    sim.carryOut();
    expect(sim.task(id).fields.status).toBe('working');
  });

  it('a section moves nothing before the file has settled, and then moves it', () => {
    const sim = new Simulation(buildWorld());
    const id = sim.create();
    sim.carryOut();
    sim.write(id, { sections: PLAN });
    sim.look(id);
    expect(sim.task(id).fields.status).toBe('planning');
    sim.settle(id);
    expect(sim.task(id).fields.status).toBe('working');
  });

  it('a file that cannot be read moves nothing until it can be read again', () => {
    const sim = new Simulation(buildWorld());
    const id = sim.create();
    sim.carryOut();
    sim.write(id, { sections: PLAN });
    sim.tear(id);
    sim.settle(id);
    sim.end(id, 'worker');
    expect(sim.task(id)).toMatchObject({
      problems: [{ code: 'ORA022' }],
      fields: { status: 'planning', crash_count: 0 },
    });
    sim.writeAndSettle(id, {});
    expect(sim.task(id)).toMatchObject({ problems: [], fields: { status: 'working' } });
  });

  it('with advance.handoff exit a Handoff counts when the agent ends, not before', () => {
    const settings = buildSettings({ policy: { advanceHandoff: 'exit' } });
    const sim = new Simulation(buildWorld({ settings }));
    const id = sim.create();
    sim.carryOut();
    sim.writeAndSettle(id, { ...PLAN, ...HANDOFF });
    expect(sim.task(id).fields.status).toBe('working');
    sim.end(id, 'worker', { status: 0 });
    expect(sim.task(id).fields).toMatchObject({ status: 'agent-review', crash_count: 0 });
  });

  it('an agent that ends with Plan and Handoff is not started again before its review', () => {
    const sim = new Simulation(buildWorld());
    const id = sim.create();
    sim.carryOut();
    sim.write(id, { sections: { ...PLAN, ...HANDOFF } });
    sim.end(id, 'worker', { status: 0 });
    expect(sim.task(id).fields).toMatchObject({ status: 'agent-review', review_round: 1 });
    expect(sim.owed).toMatchObject([{ kind: 'start-agent', role: 'reviewer' }]);
  });

  it('an agent that ends in planning with a Plan is started again for the work', () => {
    const sim = new Simulation(buildWorld());
    const id = sim.create();
    sim.carryOut();
    sim.write(id, { sections: PLAN });
    sim.end(id, 'worker', { status: 0 });
    expect(sim.task(id).fields).toMatchObject({ status: 'working', crash_count: 0 });
    expect(sim.owed).toMatchObject([{ kind: 'start-agent', role: 'worker', isResuming: true }]);
  });

  it('a requeued task gives its worktree back, keeps its Plan and takes its turn again', () => {
    const sim = new Simulation(buildWorld());
    const id = sim.create();
    sim.carryOut();
    sim.writeAndSettle(id, PLAN);
    sim.ask({ kind: 'task.update', taskId: id, status: 'pending' });
    expect(sim.task(id)).toMatchObject({ activity: 'releasing', fields: { status: 'pending' } });
    const effects = sim.carryOut().map(({ kind }) => kind);
    expect(effects).toEqual(['release-workspace', 'start-agent']);
    expect(sim.file(id).sections).toEqual(PLAN);
    expect(sim.task(id).fields.status).toBe('working');
  });
});
