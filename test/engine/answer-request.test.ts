import { describe, expect, it } from 'vitest';
import type { Actor, TaskRequest } from '../../src/domain/request.js';
import { STATUSES } from '../../src/domain/status.js';
import type { TaskState } from '../../src/domain/world.js';
import { decide } from '../../src/engine/decide.js';
import { updateOf } from '../builders/decision-parts.js';
import { buildTask, buildTaskIn, endedAgent, liveAgent } from '../builders/task.js';
import {
  buildProject,
  buildSettings,
  buildWorld,
  momentAt,
  type WorldParts,
} from '../builders/world.js';

type Asked = TaskRequest extends infer R
  ? R extends { readonly taskId: string }
    ? Omit<R, 'taskId'>
    : never
  : never;

function ask(task: TaskState, wish: Asked, given: WorldParts & { readonly actor?: Actor } = {}) {
  const { actor = 'human', tasks = [], ...rest } = given;
  const request = { ...wish, taskId: task.fields.id } as TaskRequest;
  const world = buildWorld({ ...rest, tasks: [task, ...tasks] });
  return decide(world, { kind: 'request', request, actor, newId: 'unused' }, momentAt());
}

const MERGE = { kind: 'task.merge', strategy: null, push: null, message: null } as const;
const WISHES: Readonly<Record<string, Asked>> = {
  spawn: { kind: 'task.spawn', force: false },
  respawn: { kind: 'task.respawn' },
  review: { kind: 'task.review', verdict: 'PASS', text: '' },
  cancel: { kind: 'task.cancel', reason: null },
  delete: { kind: 'task.delete' },
  reopen: { kind: 'task.reopen', summary: null },
  merge: MERGE,
};

/** The statuses in which each wish is heard. */
const HEARD: Readonly<Record<string, readonly string[]>> = {
  spawn: ['pending'],
  respawn: ['planning', 'clarification', 'working', 'agent-review', 'reviewing', 'stuck'],
  review: ['agent-review'],
  cancel: STATUSES.filter((status) => status !== 'done' && status !== 'cancelled'),
  delete: ['pending', 'done', 'cancelled'],
  reopen: ['done', 'cancelled'],
  merge: ['reviewing'],
};

describe('the table of actions', () => {
  const rows = Object.keys(WISHES).flatMap((action) =>
    STATUSES.map((status) => ({ action, status })),
  );

  it.each(rows)('$action of a task in $status', ({ action, status }) => {
    const { failure } = ask(buildTaskIn(status), WISHES[action] ?? MERGE);
    const isHeard = HEARD[action]?.includes(status) ?? false;
    expect(failure?.kind ?? null).toBe(isHeard ? null : 'wrong-status');
  });

  it.each(rows)('$action of a task in $status that is busy', ({ action, status }) => {
    const busy = buildTaskIn(status, { activity: 'releasing' });
    expect(ask(busy, WISHES[action] ?? MERGE).failure).toMatchObject({
      kind: 'agent-busy',
      doing: 'releasing',
    });
  });

  it.each(Object.keys(WISHES).filter((action) => action !== 'review'))(
    '%s is not for agents',
    (action) => {
      const wish = WISHES[action] ?? MERGE;
      expect(ask(buildTaskIn('reviewing'), wish, { actor: 'agent' }).failure).toEqual({
        kind: 'not-for-agents',
        action,
      });
    },
  );
});

describe('task respawn', () => {
  const wish = { kind: 'task.respawn' } as const;

  it('starts a worker that has ended, resuming, with a word to go on', () => {
    const task = buildTaskIn('working', { worker: endedAgent('worker', { isNoted: true }) });
    const decision = ask(task, wish);
    expect(decision.effects).toMatchObject([
      { kind: 'start-agent', role: 'worker', isResuming: true, message: { kind: 'go-on' } },
    ]);
    expect(updateOf(decision)).toMatchObject({ fields: {}, runtime: { activity: 'starting' } });
  });

  it('ends a living one first', () => {
    const effects = ask(buildTaskIn('working'), wish).effects;
    expect(effects).toMatchObject([
      { kind: 'end-window', window: 'worker' },
      { kind: 'start-agent' },
    ]);
  });

  it('means the reviewer while the task is under its review', () => {
    const effects = ask(buildTaskIn('agent-review'), wish).effects;
    expect(effects).toMatchObject([
      { kind: 'end-window', window: 'review-1' },
      { kind: 'start-agent', role: 'reviewer', window: 'review-1' },
    ]);
  });

  it('refuses when it needs a worktree and none is free', () => {
    const task = buildTaskIn('clarification', { fields: { workspace: null, tmux_session: null } });
    const projects = [buildProject({ pool_size: 0 })];
    expect(ask(task, wish, { projects }).failure).toEqual({
      kind: 'pool-exhausted',
      project: 'shop',
      size: 0,
    });
  });
});

describe('task send', () => {
  const wish = { kind: 'task.send', text: 'hello' } as const;

  it('tells the worker, and changes nothing', () => {
    expect(ask(buildTaskIn('working'), wish)).toMatchObject({
      changes: [],
      effects: [{ kind: 'tell-agent', window: 'worker', message: { kind: 'text', text: 'hello' } }],
      failure: null,
    });
  });

  it.each([
    ['has no session', buildTask()],
    ['has ended', buildTaskIn('working', { worker: endedAgent('worker') })],
    [
      'is being started',
      buildTaskIn('working', { worker: { kind: 'starting', launchId: 'x', window: 'worker' } }),
    ],
  ])('refuses when the worker %s', (_, task) => {
    expect(ask(task, wish).failure).toMatchObject({ kind: 'agent-not-running', window: 'worker' });
  });
});

describe('task cancel', () => {
  it('ORA-71 frees everything and keeps the reason', () => {
    const decision = ask(buildTaskIn('working'), { kind: 'task.cancel', reason: 'not needed' });
    expect(updateOf(decision)).toMatchObject({
      fields: { status: 'cancelled', crash_count: 0 },
      events: [
        {
          type: 'status.changed',
          from: 'working',
          to: 'cancelled',
          by: 'human',
          reason: 'not needed',
        },
      ],
    });
    expect(decision.effects).toMatchObject([
      { kind: 'release-workspace', workspace: 'shop--1', session: 'shop/dark-mode' },
    ]);
  });

  it('of a task without a worktree has nothing to free', () => {
    const decision = ask(buildTask(), { kind: 'task.cancel', reason: null });
    expect(decision.effects).toEqual([]);
    expect(updateOf(decision).runtime.activity).toBeUndefined();
    expect(updateOf(decision).events[0]).not.toHaveProperty('reason');
  });
});

describe('task delete', () => {
  it('takes the record away', () => {
    const decision = ask(buildTaskIn('done'), { kind: 'task.delete' });
    expect(decision.changes).toEqual([{ kind: 'delete-task', taskId: buildTask().fields.id }]);
    expect(decision).toMatchObject({ effects: [], taskId: null, failure: null });
  });
});

describe('task merge', () => {
  it('is an effect first; the task stays where it is until it has worked', () => {
    const decision = ask(buildTaskIn('reviewing', { mergeTrouble: 'conflict' }), MERGE);
    expect(updateOf(decision)).toMatchObject({
      fields: {},
      runtime: { activity: 'merging', mergeTrouble: null },
    });
    expect(decision.effects).toMatchObject([
      { kind: 'merge-branch', strategy: 'squash', push: false, message: null },
    ]);
  });

  it('ORC-14 takes strategy and push from the settings or from the wish', () => {
    const merge = { strategy: 'rebase', push: true, deleteBranch: true } as const;
    const settings = buildSettings({ merge });
    const task = buildTaskIn('reviewing', { worker: liveAgent('worker') });
    expect(ask(task, MERGE, { settings }).effects).toMatchObject([
      { strategy: 'rebase', push: true },
    ]);
    const wish = { ...MERGE, strategy: 'ff', push: false, message: 'Merge it' } as const;
    expect(ask(task, wish, { settings }).effects).toMatchObject([
      { strategy: 'ff', push: false, message: 'Merge it' },
    ]);
  });
});

describe('a task whose TASK.md cannot be read', () => {
  const problem = {
    code: 'ORA033',
    severity: 'error',
    file: '/h/TASK.md',
    line: 7,
    message: 'x',
    fix: 'y',
  } as const;

  const touching: readonly Asked[] = [
    { kind: 'task.respawn' },
    { kind: 'task.update', status: 'stuck' },
    { kind: 'task.update', branch: 'other' },
    { kind: 'task.requeue', hold: null },
  ];

  it.each(touching)('F33 is not touched by %j, and says why', (wish) => {
    const broken = buildTaskIn('working', { problems: [problem], isProvisional: true });
    expect(ask(broken, wish)).toEqual({
      changes: [],
      effects: [],
      failure: { kind: 'file-rejected', diagnostics: [problem] },
      taskId: broken.fields.id,
    });
  });

  it('F33 is started again once it is only the history that cannot be written', () => {
    const late = buildTaskIn('working', { problems: [{ ...problem, code: 'ORA092' }] });
    expect(ask(late, { kind: 'task.respawn' }).failure).toBeNull();
  });

  it('F33 may be given up all the same', () => {
    const broken = buildTaskIn('working', { problems: [problem], isProvisional: true });
    expect(ask(broken, { kind: 'task.cancel', reason: null }).failure).toBeNull();
  });
});
