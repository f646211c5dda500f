import { describe, expect, it } from 'vitest';
import type { HistoryEvent } from '../../src/domain/history-event.js';
import type { Actor } from '../../src/domain/request.js';
import { STATUSES, type Status } from '../../src/domain/status.js';
import type { GateName } from '../../src/domain/settings.js';
import { NO_GATES, type TaskState } from '../../src/domain/world.js';
import { decide } from '../../src/engine/decide.js';
import { explainTask } from '../../src/engine/inbox.js';
import { replayHistory } from '../../src/engine/replay-history.js';
import { Simulation } from '../fakes/simulation.js';
import { updateOf } from '../builders/decision-parts.js';
import { buildTask, buildTaskIn, endedAgent, TASK_ID, type TaskParts } from '../builders/task.js';
import { buildProject, buildSettings, buildWorld, momentAt } from '../builders/world.js';

const settings = buildSettings({
  policy: { gates: { start: 'human', plan: 'human', review: 'ai', merge: 'human' } },
});
const PLANNED: TaskParts = { artifacts: { hasValidPlan: true, planDigest: 'plan-1' } };

type Given = {
  readonly actor?: Actor;
  readonly gate?: GateName;
  readonly seen?: Status;
  readonly text?: string;
};

function decision(kind: 'task.approve' | 'task.reject', task: TaskState, given: Given = {}) {
  const { actor = 'human', gate = null, text = 'because' } = given;
  const seenAs = given.seen === undefined ? {} : { seen: given.seen };
  const request = { kind, taskId: TASK_ID, gate, ...seenAs, text } as const;
  const seen = { kind: 'request', request, actor, newId: 'x' } as const;
  return decide(buildWorld({ tasks: [task], settings }), seen, momentAt());
}
const approve = (task: TaskState, given?: Given) => decision('task.approve', task, given);
const reject = (task: TaskState, given?: Given) => decision('task.reject', task, given);
const event = (gate: GateName, word: string) => ({
  type: 'gate.decided',
  gate,
  mode: 'human',
  decision: word,
  by: 'human',
  rationale: 'because',
});

describe('ORC-76 a gate that waits for a person', () => {
  it('start, approved: is remembered', () => {
    expect(updateOf(approve(buildTask()))).toMatchObject({
      events: [event('start', 'approved')],
      runtime: { gates: { isStartApproved: true } },
    });
  });

  it('start, rejected: holds the task back, and approving lifts that', () => {
    const change = updateOf(reject(buildTask()));
    expect(change).toMatchObject({
      extensions: { hold: 'start rejected: because' },
      events: [event('start', 'rejected')],
    });
    const held = buildTask({ extensions: { hold: 'start rejected: because' } });
    expect(updateOf(approve(held)).extensions).toEqual({ hold: null });
    const own = buildTask({ extensions: { hold: 'my own' } });
    expect(updateOf(approve(own)).extensions).toEqual({});
  });

  it('plan, approved: the work begins and the worker is told', () => {
    const decided = approve(buildTaskIn('planning', PLANNED));
    expect(updateOf(decided)).toMatchObject({
      fields: { status: 'working' },
      events: [event('plan', 'approved'), { type: 'status.changed', to: 'working', by: 'human' }],
    });
    const message = { kind: 'plan-approved', text: 'because' };
    expect(decided.effects).toMatchObject([{ kind: 'tell-agent', message }]);
  });

  it('plan, rejected: the worker is told why, and it stands in the file', () => {
    const decided = reject(buildTaskIn('planning', PLANNED));
    expect(updateOf(decided)).toMatchObject({
      fields: {},
      sections: [{ kind: 'append', section: 'Decision', text: 'Plan rejected: because' }],
      events: [{ ...event('plan', 'rejected'), plan_stamp: 'plan-1' }],
      runtime: { gates: { rejectedPlan: 'plan-1', planWaitsSince: null } },
    });
    const message = { kind: 'plan-rejected', text: 'because' };
    expect(decided.effects).toMatchObject([{ kind: 'tell-agent', message }]);
  });

  it('plan, rejected: a worker that has ended is started again with it', () => {
    const task = buildTaskIn('planning', { ...PLANNED, worker: endedAgent('worker') });
    expect(reject(task).effects).toMatchObject([
      { kind: 'start-agent', isResuming: true, message: { kind: 'plan-rejected' } },
    ]);
  });

  it('merge, approved: merges', () => {
    const decided = approve(buildTaskIn('reviewing'));
    expect(updateOf(decided)).toMatchObject({
      events: [event('merge', 'approved')],
      runtime: { activity: 'merging', mergeTrouble: null },
    });
    expect(decided.effects).toMatchObject([{ kind: 'merge-branch', askedBy: 'human' }]);
  });

  it('merge, rejected: goes back to work with the words', () => {
    const decided = reject(buildTaskIn('reviewing'));
    expect(updateOf(decided)).toMatchObject({
      fields: { status: 'working' },
      sections: [{ kind: 'set', section: 'Review', text: 'Verdict: FAIL\n\nbecause\n' }],
      events: [event('merge', 'rejected'), { type: 'status.changed', to: 'working' }],
    });
    expect(decided.effects).toMatchObject([{ message: { kind: 'changes-requested' } }]);
  });
});

describe('nothing to decide', () => {
  it.each(STATUSES.filter((status) => !/pending|reviewing/.test(status)))(
    'a %s task has no gate that waits',
    (status) => {
      expect(approve(buildTaskIn(status))).toMatchObject({
        changes: [],
        failure: { kind: 'no-gate-waiting', waiting: null, status },
      });
    },
  );

  it('the gate that is named must be the one that waits', () => {
    expect(approve(buildTask(), { gate: 'start' }).failure).toBeNull();
    expect(approve(buildTask(), { gate: 'merge' }).failure).toMatchObject({
      kind: 'no-gate-waiting',
      wanted: 'merge',
      waiting: 'start',
    });
  });

  it('a person who was asked about another status has decided nothing, least of all a merge', () => {
    const reviewing = buildTaskIn('reviewing');
    for (const given of [{ seen: 'agent-review' }, { seen: 'planning', gate: 'merge' }] as const) {
      expect(approve(reviewing, given)).toMatchObject({
        changes: [],
        effects: [],
        failure: { kind: 'moved-on', action: 'approve', seen: given.seen, status: 'reviewing' },
      });
    }
    expect(reject(buildTask(), { seen: 'planning' }).failure).toMatchObject({ kind: 'moved-on' });
    expect(approve(reviewing, { seen: 'reviewing' }).failure).toBeNull();
    expect(approve(buildTaskIn('working'), { seen: 'reviewing' }).failure).toMatchObject({
      kind: 'no-gate-waiting',
    });
  });

  it('an agent decides no gate', () => {
    const given = { actor: 'agent' } as const;
    expect(approve(buildTask(), given).failure).toMatchObject({ kind: 'not-for-agents' });
    expect(reject(buildTask(), given).failure).toMatchObject({ kind: 'not-for-agents' });
  });

  it('a gate that is open waits for nobody', () => {
    const open = buildTask({ extensions: { gates: { start: 'auto' } } });
    expect(approve(open).failure).toMatchObject({ kind: 'no-gate-waiting' });
  });
});

const simulate = (poolSize: number) =>
  new Simulation(buildWorld({ settings, projects: [buildProject({ pool_size: poolSize })] }));
const wish = (kind: 'task.approve' | 'task.reject', taskId: string) =>
  ({ kind, taskId, gate: null, text: 'because' }) as const;

describe('a gate in the course of a task', () => {
  it.each(['task.approve', 'task.spawn'] as const)(
    'a start approved by %s while the pool is full comes when a worktree is free',
    (kind) => {
      const sim = simulate(1);
      const [first, second] = [sim.create(), sim.create()];
      sim.ask(wish('task.approve', first));
      sim.carryOut();
      if (kind === 'task.spawn') sim.ask({ kind, taskId: second, force: false });
      else sim.ask(wish(kind, second));
      expect(sim.task(second).fields.status).toBe('pending');
      expect(replayHistory(sim.history(second)).gates.isStartApproved).toBe(true);
      sim.ask({ kind: 'task.cancel', taskId: first, reason: null });
      sim.carryOut();
      expect(sim.task(second).fields.status).toBe('planning');
    },
  );

  it('a Plan waits, is told once, and counts again only when it has changed', () => {
    const sim = simulate(1);
    const id = sim.create();
    sim.ask(wish('task.approve', id));
    sim.carryOut();
    sim.writeAndSettle(id, { Plan: 'APPROACH: the short way' });
    sim.see({ kind: 'reconsider', taskId: id });
    const waiting = () => sim.history(id).filter(({ type }) => type === 'gate.waiting').length;
    expect(waiting()).toBe(1);
    expect(sim.owed).toMatchObject([{ kind: 'notify-human', cause: 'plan-gate' }]);
    sim.carryOut();
    const codes = () =>
      explainTask(sim.kept.world, sim.task(id), momentAt()).map(({ code }) => code);
    expect(codes()).toEqual(['plan-gate']);

    sim.ask(wish('task.reject', id));
    sim.carryOut();
    sim.settle(id);
    expect(codes()).toEqual([]);
    expect(waiting()).toBe(1);
    expect(sim.ask(wish('task.approve', id)).failure).toMatchObject({ kind: 'no-gate-waiting' });

    sim.writeAndSettle(id, { Plan: 'APPROACH: the long way' });
    expect(waiting()).toBe(2);
    sim.ask(wish('task.approve', id));
    expect(sim.task(id).fields.status).toBe('working');
    expect(sim.task(id).gates).toEqual(NO_GATES);
  });
});

it('a history without gates knows nothing of them', () => {
  const events: readonly HistoryEvent[] = [
    { type: 'gate.decided', timestamp: '2026-01-01T00:00:00Z', gate: 'review', mode: 'skip' },
  ];
  expect(replayHistory(events).gates).toEqual(NO_GATES);
});
