import { describe, expect, it } from 'vitest';
import type { Actor, UpdateTask } from '../../src/domain/request.js';
import type { TaskState } from '../../src/domain/world.js';
import { decide } from '../../src/engine/decide.js';
import { updateOf } from '../builders/decision-parts.js';
import { buildTask, buildTaskIn, endedAgent, HANDOFF, PLAN } from '../builders/task.js';
import { buildSettings, buildWorld, momentAt, type WorldParts } from '../builders/world.js';

function ask(
  task: TaskState,
  edits: Omit<UpdateTask, 'kind' | 'taskId'>,
  given: WorldParts & { readonly actor?: Actor } = {},
) {
  const { actor = 'human', tasks = [], ...rest } = given;
  const request = { kind: 'task.update', taskId: task.fields.id, ...edits } as const;
  const world = buildWorld({ ...rest, tasks: [task, ...tasks] });
  return decide(world, { kind: 'request', request, actor, newId: 'unused' }, momentAt());
}

describe('task update of what a task says', () => {
  it('writes what changed and tells it in one event', () => {
    const decision = ask(buildTaskIn('working'), {
      summary: 'Better',
      harness: 'codex',
      reviewHarness: 'claude',
      extensions: { priority: 'high', hold: null },
    });
    expect(updateOf(decision)).toMatchObject({
      fields: { summary: 'Better', harness: 'codex' },
      extensions: { priority: 'high' },
      events: [{ type: 'task.updated', fields: ['summary', 'harness', 'priority'], by: 'human' }],
    });
    expect(decision).toMatchObject({ effects: [], failure: null });
  });

  it('writes nothing when nothing changes', () => {
    const task = buildTaskIn('working');
    expect(ask(task, { summary: task.fields.summary, status: 'working' })).toEqual({
      changes: [],
      effects: [],
      failure: null,
      taskId: task.fields.id,
    });
  });

  it('renames the branch of a task without a worktree at once', () => {
    const decision = ask(buildTask(), { branch: 'night' });
    expect(updateOf(decision)).toMatchObject({
      fields: { branch: 'night' },
      events: [{ type: 'task.updated', fields: ['branch'] }],
    });
    expect(decision.effects).toEqual([]);
  });

  it('renames the branch of a task with a worktree outside first', () => {
    const task = buildTaskIn('working');
    const decision = ask(task, { branch: 'night' });
    expect(updateOf(decision)).toMatchObject({ fields: {}, runtime: { activity: 'renaming' } });
    expect(decision.effects).toEqual([
      { kind: 'rename-branch', taskId: task.fields.id, from: 'dark-mode', to: 'night' },
    ]);
  });

  const other = buildTaskIn('working', {
    fields: { id: 'other', branch: 'night' },
    extensions: { blocked_by: [buildTask().fields.id] },
  });

  it.each([
    ['an unknown harness', { harness: 'cluade' }, { kind: 'harness-unknown' }],
    ['an unknown reviewer', { reviewHarness: 'cluade' }, { kind: 'harness-unknown' }],
    ['a branch of another task', { branch: 'night' }, { kind: 'branch-in-use' }],
    [
      'a blocker that does not exist',
      { extensions: { blocked_by: ['gone'] } },
      { kind: 'not-found' },
    ],
    [
      'ORC-49 itself as its blocker',
      { extensions: { blocked_by: [buildTask().fields.id] } },
      { kind: 'blocked-by-self' },
    ],
    [
      'ORC-50 a circle of blockers',
      { extensions: { blocked_by: ['other'] } },
      {
        kind: 'blocking-cycle',
        path: [buildTask().fields.id, 'other', buildTask().fields.id],
      },
    ],
  ])('refuses %s', (_, edits, failure) => {
    expect(ask(buildTask(), edits, { tasks: [other] })).toMatchObject({
      changes: [],
      effects: [],
      failure,
    });
  });

  it.each([
    [{ harness: 'codex' }],
    [{ reviewHarness: 'codex' }],
    [{ extensions: { priority: 'high' } }],
  ])('ORA-37 refuses an agent that asks for %o', (edits) => {
    expect(ask(buildTaskIn('working'), edits, { actor: 'agent' }).failure).toEqual({
      kind: 'not-for-agents',
      action: 'update',
    });
  });

  it.each([[{ summary: 'Better' }], [{ extensions: { tags: ['ui'] } }]])(
    'ORA-31 grants an agent %o',
    (edits) => {
      expect(ask(buildTaskIn('working'), edits, { actor: 'agent' }).failure).toBeNull();
    },
  );

  it.each(['starting', 'merging', 'releasing', 'renaming'] as const)(
    'refuses while it is %s',
    (activity) => {
      expect(ask(buildTaskIn('working', { activity }), { summary: 'x' }).failure).toMatchObject({
        kind: 'agent-busy',
        doing: activity,
      });
    },
  );

  it('refuses a task that is not there', () => {
    const request = { kind: 'task.update', taskId: 'gone', summary: '' } as const;
    const seen = { kind: 'request', request, actor: 'human', newId: 'unused' } as const;
    expect(decide(buildWorld(), seen, momentAt()).failure).toEqual({
      kind: 'not-found',
      what: 'task',
      name: 'gone',
    });
  });
});

describe('task update --status', () => {
  it('ORA-84 moves and tells who asked', () => {
    const task = buildTaskIn('planning', { artifacts: PLAN, fields: { crash_count: 1 } });
    const change = updateOf(ask(task, { status: 'working' }, { actor: 'agent' }));
    expect(change.fields).toEqual({ status: 'working', crash_count: 0 });
    expect(change.events).toEqual([
      { type: 'status.changed', from: 'planning', to: 'working', by: 'agent' },
    ]);
  });

  it('refuses with the table’s or the gate’s reason', () => {
    expect(ask(buildTaskIn('planning'), { status: 'working' }).failure).toEqual({
      kind: 'move-refused',
      from: 'planning',
      to: 'working',
      because: { kind: 'artifact-missing', section: 'Plan' },
    });
    expect(ask(buildTaskIn('done'), { status: 'working' }).failure).toMatchObject({
      because: { kind: 'terminal' },
    });
  });

  it('starts a pending task as spawn does, and only for people', () => {
    const decision = ask(buildTask(), { status: 'planning' });
    expect(decision.effects).toMatchObject([{ kind: 'start-agent', role: 'worker' }]);
    expect(ask(buildTask(), { status: 'planning' }, { actor: 'agent' }).failure).toMatchObject({
      kind: 'not-for-agents',
    });
  });

  it('writes what was asked for together with the move', () => {
    const task = buildTaskIn('working');
    const edits = { status: 'clarification', summary: 'Which blue?' } as const;
    const change = updateOf(ask(task, edits, { actor: 'agent' }));
    expect(change.fields).toMatchObject({ status: 'clarification', summary: 'Which blue?' });
    expect(change.events.map(({ type }) => type)).toEqual(['task.updated', 'status.changed']);
  });

  it('writes nothing of it when the move is refused', () => {
    const decision = ask(buildTaskIn('planning'), { status: 'working', summary: 'Better' });
    expect(decision).toMatchObject({ changes: [], failure: { kind: 'move-refused' } });
  });

  it('lifts a hold and starts in one step', () => {
    const held = buildTask({ extensions: { hold: 'wait' } });
    const decision = ask(held, { status: 'planning', extensions: { hold: null } });
    expect(updateOf(decision)).toMatchObject({
      extensions: { hold: null },
      events: [{ type: 'task.updated', fields: ['hold'] }],
    });
    expect(decision.effects).toMatchObject([{ kind: 'start-agent' }]);
  });

  it('refuses a branch and a status in one step', () => {
    const decision = ask(buildTaskIn('working'), { status: 'clarification', branch: 'night' });
    expect(decision.failure).toMatchObject({ kind: 'invalid-argument', argument: '--branch' });
  });

  it('tells the worker when the human sends the task back', () => {
    const decision = ask(buildTaskIn('reviewing'), { status: 'working' });
    expect(decision.effects).toEqual([
      {
        kind: 'tell-agent',
        taskId: buildTask().fields.id,
        session: 'shop/dark-mode',
        window: 'worker',
        message: { kind: 'go-on', status: 'working' },
      },
    ]);
  });

  it('starts the worker again, resuming, when it has ended by then', () => {
    const task = buildTaskIn('reviewing', { worker: endedAgent('worker') });
    expect(ask(task, { status: 'working' }).effects).toMatchObject([
      { kind: 'start-agent', role: 'worker', isResuming: true, message: { kind: 'go-on' } },
    ]);
  });

  it.each(['pending', 'cancelled', 'done'] as const)(
    'frees the worktree on the way to %s',
    (status) => {
      const decision = ask(buildTaskIn('working'), { status });
      expect(decision.effects).toEqual([
        {
          kind: 'release-workspace',
          taskId: buildTask().fields.id,
          session: 'shop/dark-mode',
          workspace: 'shop--1',
          deleteBranch: false,
        },
      ]);
      expect(updateOf(decision).runtime).toMatchObject({
        activity: 'releasing',
        worker: { kind: 'absent' },
        reviewer: { kind: 'absent' },
      });
    },
  );
});

describe('a Handoff that is handed over on request', () => {
  const task = buildTaskIn('working', { artifacts: HANDOFF });

  it('goes to the reviewing agent, whose window bears the round', () => {
    const decision = ask(task, { status: 'agent-review' }, { actor: 'agent' });
    expect(updateOf(decision).fields).toMatchObject({ status: 'agent-review', review_round: 1 });
    expect(decision.effects).toMatchObject([
      { kind: 'start-agent', role: 'reviewer', window: 'review-1', needsBinding: false },
    ]);
  });

  it.each(['auto', 'skip', 'human'] as const)(
    'ORC-77 goes straight to the human where the review gate is %s',
    (review) => {
      const gates = { start: 'auto', plan: 'auto', merge: 'human', review } as const;
      const settings = buildSettings({ policy: { gates } });
      const decision = ask(task, { status: 'agent-review' }, { actor: 'agent', settings });
      const change = updateOf(decision);
      expect(change.fields).toMatchObject({ status: 'reviewing' });
      expect(change.events).toMatchObject([
        { type: 'gate.decided', gate: 'review', mode: review },
        { type: 'status.changed', from: 'working', to: 'reviewing', by: 'agent' },
      ]);
      expect(decision.effects).toMatchObject([
        { kind: 'mark-reviewed' },
        { kind: 'notify-human', cause: 'reviewing' },
      ]);
    },
  );

  it('goes to the human where the reviewer is not installed', () => {
    const given = { actor: 'agent', installedHarnesses: ['codex'] } as const;
    const change = updateOf(ask(task, { status: 'agent-review' }, given));
    expect(change.fields.status).toBe('reviewing');
    expect(change.events[0]).toEqual({
      type: 'gate.decided',
      gate: 'review',
      mode: 'human',
      reason: 'claude is not installed',
    });
  });

  it('goes to the agent when a person asks for it, whatever the gate says', () => {
    const gated = { ...task, extensions: { gates: { review: 'skip' } } };
    expect(updateOf(ask(gated, { status: 'agent-review' })).fields.status).toBe('agent-review');
  });

  it('ORC-76 a person who passes the gate leaves its decision behind', () => {
    const gated = { ...task, extensions: { gates: { review: 'human' } } };
    expect(updateOf(ask(gated, { status: 'reviewing' })).events).toMatchObject([
      { type: 'gate.decided', gate: 'review', mode: 'human' },
      { type: 'status.changed', from: 'working', to: 'reviewing', by: 'human' },
    ]);
  });
});
