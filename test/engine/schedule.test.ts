import { describe, expect, it } from 'vitest';
import type { Status } from '../../src/domain/status.js';
import type { Extensions } from '../../src/domain/task.js';
import type { TaskState, World } from '../../src/domain/world.js';
import { decide } from '../../src/engine/decide.js';
import { explainWait, nextToStart, pendingInOrder } from '../../src/engine/schedule.js';
import { freeWorkspace, takenSessions } from '../../src/engine/world-queries.js';
import { updateOf } from '../builders/decision-parts.js';
import { buildTask, buildTaskIn, type TaskParts } from '../builders/task.js';
import { buildProject, buildSettings, buildWorld, momentAt } from '../builders/world.js';

function waiting(id: string, extensions: Extensions = {}, createdAt = '2026-01-01'): TaskState {
  const created_at = `${createdAt}T09:00:00.000Z`;
  return buildTask({ extensions, fields: { id, branch: id, created_at } });
}

function holder(id: string, workspace: string): TaskState {
  return buildTaskIn('working', {
    fields: { id, branch: id, workspace, tmux_session: `shop/${id}` },
  });
}

function codes(world: World, task: TaskState, elapsedMs = 0): readonly string[] {
  return explainWait(world, task, momentAt(elapsedMs)).map(({ code }) => code);
}

function blocker(status: Status): TaskState {
  return buildTaskIn(status, { fields: { id: 'blocker', branch: 'blocker' } });
}

function schedule(world: World) {
  return decide(world, { kind: 'schedule' }, momentAt());
}

describe('the order of what waits', () => {
  it('ORC-43 is priority, then age, then id', () => {
    const tasks = [
      waiting('low', { priority: 'low' }, '2025-01-01'),
      waiting('b'),
      waiting('a'),
      waiting('old', {}, '2025-12-31'),
      waiting('medium', { priority: 'medium' }, '2025-12-30'),
      waiting('odd', { priority: 'urgent!' }, '2026-01-02'),
      waiting('high', { priority: 'high' }, '2026-01-03'),
      waiting('critical', { priority: 'critical' }, '2026-01-04'),
    ];
    const order = pendingInOrder(buildWorld({ tasks }), momentAt()).map(({ fields }) => fields.id);
    expect(order).toEqual(['critical', 'high', 'medium', 'old', 'a', 'b', 'odd', 'low']);
  });

  it('has only pending tasks', () => {
    expect(pendingInOrder(buildWorld({ tasks: [holder('one', 'shop--1')] }), momentAt())).toEqual(
      [],
    );
  });

  it('passes over a task that cannot start, for one that can', () => {
    const tasks = [waiting('held', { priority: 'critical', hold: 'later' }), waiting('free')];
    expect(nextToStart(buildWorld({ tasks }), momentAt())?.fields.id).toBe('free');
  });
});

describe('why a task waits', () => {
  const blocked = waiting('me', { blocked_by: ['blocker'] });

  it.each([
    ['nothing', waiting('me'), [], []],
    ['a hold', waiting('me', { hold: 'not spawned' }), [], ['held']],
    ['the backlog', waiting('me', { queue: 'backlog' }), [], ['backlog']],
    ['a person it is assigned to', waiting('me', { assignee: 'ann' }), [], ['assigned']],
    ['a start gate', waiting('me', { gates: { start: 'human' } }), [], ['start-gate']],
    ['an evaluating start gate', waiting('me', { gates: { start: 'ai' } }), [], ['start-gate']],
    ['a blocker at work', blocked, [blocker('working')], ['blocked']],
    ['a blocker under review', blocked, [blocker('reviewing')], ['blocked']],
    ['a blocker that is done', blocked, [blocker('done')], []],
    ['a blocker that was cancelled', blocked, [blocker('cancelled')], ['dead-end']],
    ['a blocker that is not there', blocked, [], ['dead-end']],
    ['itself', waiting('me', { blocked_by: ['me'] }), [], ['cycle']],
    [
      'one that waits for it in turn',
      blocked,
      [waiting('blocker', { blocked_by: ['me'] })],
      ['cycle'],
    ],
    [
      'one that waits for it in turn, but is at work',
      blocked,
      [{ ...blocker('working'), extensions: { blocked_by: ['me'] } }],
      ['blocked'],
    ],
    [
      'one in a cycle that it is no part of',
      blocked,
      [waiting('blocker', { blocked_by: ['x'] }), waiting('x', { blocked_by: ['blocker'] })],
      ['blocked'],
    ],
    ['a budget of nothing', waiting('me', { budget: { tokens: '0' } }), [], ['budget']],
    ['a budget', waiting('me', { budget: { tokens: '100' } }), [], []],
    [
      'a full pool',
      waiting('me'),
      [holder('one', 'shop--1'), holder('two', 'shop--2')],
      ['pool-full'],
    ],
  ] as const)('ORC-30 %s', (_, task, others, expected) => {
    const installedHarnesses = ['claude'];
    const world = buildWorld({ tasks: [task, ...others], installedHarnesses });
    expect(codes(world, task)).toEqual(expected);
  });

  it('ORC-30 a chain is told as far as it goes', () => {
    const task = waiting('me', { blocked_by: ['a'] });
    const others = [
      waiting('a', { blocked_by: ['done', 'b'] }),
      buildTaskIn('done', { fields: { id: 'done', branch: 'done' } }),
      waiting('b', { blocked_by: ['c'] }),
      holder('c', 'shop--1'),
    ];
    const [reason] = explainWait(buildWorld({ tasks: [task, ...others] }), task, momentAt());
    expect(reason?.message).toBe(
      'blocked by a (pending), which waits for b (pending), which waits for c (working)',
    );
  });

  it('ORC-48 a dead end further on is told, too', () => {
    const task = waiting('me', { blocked_by: ['a'] });
    const world = buildWorld({ tasks: [task, waiting('a', { blocked_by: ['gone'] })] });
    expect(explainWait(world, task, momentAt())[0]?.message).toBe(
      'blocked by a (pending), which waits for gone, which does not exist',
    );
  });

  it('a cycle names its tasks and how it is broken', () => {
    const task = waiting('me', { blocked_by: ['a'] });
    const world = buildWorld({ tasks: [task, waiting('a', { blocked_by: ['me'] })] });
    expect(explainWait(world, task, momentAt())).toEqual([
      {
        code: 'cycle',
        message: 'waits for itself: me → a → me',
        settle: 'orange task unblock shop/me a',
      },
    ]);
  });

  it('its harness is not installed', () => {
    const task = waiting('me');
    const world = buildWorld({ tasks: [task], installedHarnesses: [] });
    expect(codes(world, task)).toEqual(['harness-not-installed']);
  });

  it('its project is not registered', () => {
    const task = waiting('me');
    expect(codes(buildWorld({ tasks: [task], projects: [] }), task)).toEqual(['project-missing']);
  });

  it('it is being started already', () => {
    const task = buildTask({ activity: 'starting', reservedWorkspace: 'shop--1' });
    expect(codes(buildWorld({ tasks: [task] }), task)).toEqual(['starting']);
  });

  it('its file cannot be read', () => {
    const problem = { code: 'ORA022', severity: 'error', file: 'f', line: 1 } as const;
    const task = buildTask({ problems: [{ ...problem, message: 'torn', fix: 'mend it' }] });
    expect(codes(buildWorld({ tasks: [task] }), task)).toEqual(['unreadable']);
  });

  it('its last start failed, until it is tried again', () => {
    const retryAtMs = momentAt(5000).monotonicMs;
    const since = '2026-01-02T11:00:00Z';
    const task = buildTask({ startTrouble: { reason: 'no git', failures: 1, retryAtMs, since } });
    const world = buildWorld({ tasks: [task] });
    expect(codes(world, task, 4999)).toEqual(['start-failed']);
    expect(codes(world, task, 5000)).toEqual([]);
  });

  it('a worktree that is set aside has its branch, until it is cleaned', () => {
    const retryAtMs = momentAt(5000).monotonicMs;
    const trouble = { reason: 'in use', failures: 1, retryAtMs, since: '2026-01-02T11:00:00Z' };
    const task = buildTask({ startTrouble: { ...trouble, heldBy: 'shop--2' } });
    const given = { tasks: [task] };
    const code = 'start-failed';
    expect(codes(buildWorld({ ...given, quarantined: ['shop--2'] }), task)).toEqual([code]);
    expect(codes(buildWorld(given), task)).toEqual([]);
  });

  it('all reasons are told at once', () => {
    const task = waiting('me', { hold: 'later', queue: 'backlog', blocked_by: 'gone' });
    const world = buildWorld({ tasks: [task], installedHarnesses: [] });
    expect(codes(world, task)).toEqual(['held', 'backlog', 'harness-not-installed', 'dead-end']);
  });
});

function elsewhere(status: Status, id: string): TaskState {
  const fields = { id, branch: id, project: 'till', workspace: `till--${id}` };
  return buildTaskIn(status, { fields });
}

describe('the limit over all projects', () => {
  const projects = [buildProject(), buildProject({ name: 'till', path: '/till' })];
  const settings = buildSettings({ queue: { maxActiveTasks: 2, starvationGuard: false } });

  it.each([
    ['two are at work', [elsewhere('working', '1'), elsewhere('planning', '2')], ['global-limit']],
    [
      'one asks and one is reviewed by an agent',
      [elsewhere('clarification', '1'), elsewhere('agent-review', '2')],
      ['global-limit'],
    ],
    [
      'one is being started',
      [elsewhere('working', '1'), buildTask({ activity: 'starting', fields: { id: '2' } })],
      ['global-limit'],
    ],
    ['others wait for a person', [elsewhere('reviewing', '1'), elsewhere('stuck', '2')], []],
    ['one is at work', [elsewhere('working', '1')], []],
  ] as const)('when %s', (_, others, expected) => {
    const me = waiting('me');
    const world = buildWorld({ tasks: [me, ...others], projects, settings });
    expect(codes(world, me)).toEqual(expected);
  });

  it('is no refusal of a spawn: the task waits its turn', () => {
    const me = waiting('me');
    const others = [elsewhere('working', '1'), elsewhere('planning', '2')];
    const world = buildWorld({ tasks: [me, ...others], projects, settings });
    const request = { kind: 'task.spawn', taskId: 'me', force: false } as const;
    const observation = { kind: 'request', request, actor: 'human', newId: 'x' } as const;
    expect(decide(world, observation, momentAt())).toMatchObject({ failure: null, effects: [] });
  });

  it('lets the next task start the moment one is handed to a person', () => {
    const tasks = [waiting('me'), elsewhere('working', '1'), elsewhere('reviewing', '2')];
    const decision = schedule(buildWorld({ tasks, projects, settings }));
    expect(decision.effects).toMatchObject([{ kind: 'start-agent', taskId: 'me' }]);
  });
});

describe('the starvation guard', () => {
  const day = 86_400_000;
  const tasks = [
    waiting('low', { priority: 'low' }),
    waiting('normal', {}, '2026-01-02'),
    waiting('high', { priority: 'high' }, '2026-01-02'),
  ];
  const order = (starvationGuard: boolean, elapsedMs: number) => {
    const settings = buildSettings({ queue: { maxActiveTasks: null, starvationGuard } });
    const world = buildWorld({ tasks, settings });
    return pendingInOrder(world, momentAt(elapsedMs)).map(({ fields }) => fields.id);
  };

  it('is off by default', () => {
    expect(order(false, 30 * day)).toEqual(['high', 'normal', 'low']);
  });

  it('raises what waits by one step a day', () => {
    expect(order(true, -day / 2)).toEqual(['high', 'normal', 'low']);
    // One day and three hours: low has become normal, and is older than the other.
    expect(order(true, 0)).toEqual(['high', 'low', 'normal']);
    expect(order(true, 30 * day)).toEqual(['low', 'high', 'normal']);
  });
});

describe('the pool', () => {
  it('gives the lowest free number', () => {
    const world = buildWorld({ tasks: [holder('two', 'shop--2')] });
    expect(freeWorkspace(world, 'shop')).toBe('shop--1');
  });

  it('counts what is promised to a start', () => {
    const starting = buildTask({ activity: 'starting', reservedWorkspace: 'shop--1' });
    const projects = [buildProject({ pool_size: 1 })];
    expect(freeWorkspace(buildWorld({ tasks: [starting] }), 'shop')).toBe('shop--2');
    expect(freeWorkspace(buildWorld({ tasks: [starting], projects }), 'shop')).toBeNull();
  });

  it('hands out a further number in the place of one in quarantine', () => {
    const world = buildWorld({ quarantined: ['shop--1'] });
    expect(freeWorkspace(world, 'shop')).toBe('shop--2');
    const full = buildWorld({ tasks: [holder('two', 'shop--2')], quarantined: ['shop--1'] });
    expect(freeWorkspace(full, 'shop')).toBe('shop--3');
  });

  it('of another project takes nothing away', () => {
    const projects = [buildProject({ pool_size: 1 }), buildProject({ name: 'shop--2' })];
    const other = buildTaskIn('working', {
      fields: { project: 'shop--2', workspace: 'shop--2--1' },
    });
    expect(freeWorkspace(buildWorld({ tasks: [other], projects }), 'shop')).toBe('shop--1');
  });

  it('has nothing for a project that is not registered', () => {
    expect(freeWorkspace(buildWorld(), 'unknown')).toBeNull();
  });
});

describe('a free slot', () => {
  it('starts the next task and promises it the worktree', () => {
    const decision = schedule(buildWorld({ tasks: [waiting('me')] }));
    expect(decision.effects).toMatchObject([
      {
        kind: 'start-agent',
        taskId: 'me',
        role: 'worker',
        window: 'worker',
        workspace: 'shop--1',
        session: 'shop/me',
        needsBinding: true,
        isResuming: false,
        message: null,
      },
    ]);
    expect(updateOf(decision)).toMatchObject({
      fields: {},
      events: [],
      runtime: { activity: 'starting', reservedWorkspace: 'shop--1', worker: { kind: 'starting' } },
    });
  });

  it('starts nothing when there is nothing to start', () => {
    expect(schedule(buildWorld()).effects).toEqual([]);
  });

  it('goes first to a task past pending that found the pool full', () => {
    const parts: TaskParts = { fields: { id: 'review', workspace: null, tmux_session: null } };
    const reviewed = buildTaskIn('agent-review', { ...parts, reviewer: { kind: 'absent' } });
    const tasks = [waiting('me', { priority: 'critical' }), reviewed];
    expect(schedule(buildWorld({ tasks })).effects).toMatchObject([
      { kind: 'start-agent', taskId: 'review', role: 'reviewer', needsBinding: true },
    ]);
  });

  it('gives a session a suffix where another task has its name', () => {
    const other = buildTaskIn('working', { fields: { id: 'other', tmux_session: 'shop/a_b' } });
    const task = buildTask({ fields: { branch: 'a.b' } });
    const world = buildWorld({ tasks: [other, task] });
    expect(takenSessions(world, task.fields.id)).toEqual(new Set(['shop/a_b']));
    expect(schedule(world).effects).toMatchObject([{ session: 'shop/a_b-V1StGX' }]);
  });

  it('waits where the policy wants a person to start tasks', () => {
    const gates = { start: 'human', plan: 'auto', review: 'ai', merge: 'human' } as const;
    const settings = buildSettings({ policy: { gates } });
    expect(schedule(buildWorld({ tasks: [waiting('me')], settings })).effects).toEqual([]);
  });
});
