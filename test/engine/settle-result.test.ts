import { describe, expect, it } from 'vitest';
import { NOTHING } from '../../src/domain/decision.js';
import type { Failure } from '../../src/domain/failure.js';
import type { AgentStarted, Observation } from '../../src/domain/observation.js';
import type { TaskState } from '../../src/domain/world.js';
import { decide } from '../../src/engine/decide.js';
import { updateOf } from '../builders/decision-parts.js';
import {
  buildTask,
  buildTaskIn,
  endedAgent,
  HANDOFF,
  TASK_ID,
  type TaskParts,
} from '../builders/task.js';
import { buildSettings, buildWorld, momentAt, type WorldParts } from '../builders/world.js';

const BROKEN: Failure = { kind: 'internal', message: 'broken' };
const STARTING = { kind: 'starting', launchId: 'launch-1', window: 'worker' } as const;
const UNDER_WAY: TaskParts = {
  activity: 'starting',
  worker: STARTING,
  reservedWorkspace: 'shop--1',
};

function see(task: TaskState, observation: Observation, given: WorldParts = {}) {
  return decide(buildWorld({ ...given, tasks: [task] }), observation, momentAt());
}

function started(parts: Partial<AgentStarted> = {}): AgentStarted {
  return {
    kind: 'agent-started',
    taskId: TASK_ID,
    role: 'worker',
    launchId: 'launch-1',
    window: 'worker',
    workspace: 'shop--1',
    session: 'shop/dark-mode',
    harnessSession: null,
    ...parts,
  };
}

const startFailed = (launchId = 'launch-1') =>
  ({
    kind: 'start-failed',
    taskId: TASK_ID,
    role: 'worker',
    launchId,
    failure: BROKEN,
    reason: 'broken',
  }) as const;

describe('a worker that has started', () => {
  it('ORA-83 ORA-84 moves a pending task in one replacement, agent.spawned before status.changed', () => {
    const decision = see(buildTask(UNDER_WAY), started({ harnessSession: 'conversation' }));
    expect(updateOf(decision)).toEqual({
      kind: 'update-task',
      taskId: TASK_ID,
      fields: {
        status: 'planning',
        workspace: 'shop--1',
        tmux_session: 'shop/dark-mode',
        crash_count: 0,
      },
      extensions: { harness_session: 'conversation' },
      sections: [],
      transcripts: [],
      events: [
        {
          type: 'agent.spawned',
          workspace: 'shop--1',
          tmux_session: 'shop/dark-mode',
          window: 'worker',
          launch: 'launch-1',
        },
        { type: 'status.changed', from: 'pending', to: 'planning' },
      ],
      runtime: expect.objectContaining({
        worker: { kind: 'live', launchId: 'launch-1', window: 'worker' },
        activity: null,
        reservedWorkspace: null,
        startTrouble: null,
        cameFrom: 'pending',
      }),
    });
    expect(decision.effects).toEqual([]);
  });

  it('takes the Handoff of before as old', () => {
    const task = buildTask({ ...UNDER_WAY, artifacts: HANDOFF });
    const change = updateOf(see(task, started()));
    expect(change.runtime.handoffStamp).toBe('handoff-1');
    expect(change.events.at(-1)).toMatchObject({ handoff_stamp: 'handoff-1' });
  });

  it('again in a task that has begun only leaves its event', () => {
    const change = updateOf(see(buildTaskIn('working', UNDER_WAY), started()));
    expect(change.fields).toEqual({});
    expect(change.events).toMatchObject([{ type: 'agent.spawned' }]);
  });

  it.each([
    ['with the conversation that is known', 'old-conversation', 'old-conversation', {}],
    ['with a new one', 'old', 'new', { harness_session: 'new' }],
    ['with one that nobody knows yet', 'old', null, { harness_session: null }],
    ['with none before and none now', null, null, {}],
  ])('%s leaves this of it: %j, %j', (_, before, now, extensions) => {
    const known = before === null ? {} : { extensions: { harness_session: before } };
    const task = buildTaskIn('working', { ...UNDER_WAY, ...known });
    expect(updateOf(see(task, started({ harnessSession: now }))).extensions).toEqual(extensions);
  });

  it('in a task that had no worktree yet binds it', () => {
    const unbound = { workspace: null, tmux_session: null };
    const task = buildTaskIn('planning', { ...UNDER_WAY, fields: unbound });
    expect(updateOf(see(task, started())).fields).toEqual({
      workspace: 'shop--1',
      tmux_session: 'shop/dark-mode',
    });
  });

  it('in a task that is over is taken back with its worktree', () => {
    const decision = see(buildTaskIn('cancelled', UNDER_WAY), started());
    expect(decision.effects).toEqual([
      {
        kind: 'release-workspace',
        taskId: TASK_ID,
        session: 'shop/dark-mode',
        workspace: 'shop--1',
        deleteBranch: false,
      },
    ]);
    expect(updateOf(decision)).toMatchObject({ fields: {}, runtime: { activity: 'releasing' } });
  });

  it.each([
    ['nobody waits for', buildTaskIn('working')],
    [
      'a later launch has replaced',
      buildTaskIn('working', { worker: { ...STARTING, launchId: '2' } }),
    ],
    ['belongs to a task that was freed', buildTaskIn('cancelled')],
  ])('that %s changes nothing', (_, task) => {
    expect(see(task, started())).toEqual(NOTHING);
    expect(see(task, startFailed())).toEqual(NOTHING);
  });
});

describe('a reviewer that has started', () => {
  const reviewer = { kind: 'starting', launchId: 'launch-1', window: 'review-2' } as const;

  it('opens its round for a verdict', () => {
    const task = buildTaskIn('agent-review', {
      reviewer,
      activity: 'starting',
      fields: { review_round: 2 },
    });
    const change = updateOf(see(task, started({ role: 'reviewer', window: 'review-2' })));
    expect(change.fields).toEqual({});
    expect(change.events).toEqual([
      { type: 'review.started', round: 2, window: 'review-2', launch: 'launch-1' },
    ]);
    expect(change.runtime).toMatchObject({ reviewStartedRound: 2, reviewer: { kind: 'live' } });
  });
});

describe('a start that failed', () => {
  it('leaves a pending task pending with the reason, and frees the slot', () => {
    const decision = see(buildTask(UNDER_WAY), startFailed());
    expect(updateOf(decision)).toMatchObject({
      fields: {},
      events: [{ type: 'spawn.failed', reason: 'broken', role: 'worker' }],
      runtime: {
        worker: { kind: 'absent' },
        activity: null,
        reservedWorkspace: null,
        startTrouble: {
          reason: 'broken',
          failures: 1,
          retryAtMs: momentAt().monotonicMs + 5000,
          since: momentAt().timestamp,
        },
      },
    });
    expect(decision.failure).toEqual(BROKEN);
    expect(decision.effects).toEqual([
      { kind: 'notify-human', taskId: TASK_ID, cause: 'start-failed' },
    ]);
  });

  it('F55 names the living agent that was ended for it, each time, so that its end is told once', () => {
    const trouble = { reason: 'broken', failures: 1, retryAtMs: 0, since: 'then', heldBy: null };
    const task = buildTaskIn('reviewing', { ...UNDER_WAY, startTrouble: trouble });
    const change = updateOf(see(task, { ...startFailed(), replaced: 'launch-0' }));
    expect(change.events).toEqual([
      { type: 'spawn.failed', reason: 'broken', role: 'worker', replaced: 'launch-0' },
    ]);
    expect(updateOf(see(task, startFailed())).events).toEqual([]);
  });

  it.each([
    { kind: 'command-timed-out', program: 'tmux', action: 'list-windows', timeoutMs: 5000 },
    { kind: 'terminals-unreachable', reason: 'no server' },
    { kind: 'io-failed', path: '/run/tmux.sock', operation: 'connect', code: 'ENOENT' },
    { kind: 'io-failed', path: '/run/x', operation: 'create', code: 'ENOSPC' },
  ] as const)(
    'F55 for no fault of the agent is tried again soon, and counts for nothing: $kind $code',
    (failure) => {
      const parts = { ...UNDER_WAY, restarts: [1, 2], fields: { crash_count: 1 } };
      const task = buildTaskIn('working', parts);
      const decision = see(task, { ...startFailed(), failure });
      const { runtime, fields, events } = updateOf(decision);
      expect(fields).toEqual({});
      expect(events.map(({ type }) => type)).toEqual(['spawn.failed']);
      expect(runtime).toMatchObject({
        worker: { kind: 'absent' },
        restarts: [1],
        startTrouble: { retryAtMs: momentAt().monotonicMs + 3000 },
      });
    },
  );

  it('for a fault of the agent’s own program is a crash of a task that has begun', () => {
    const failure = { kind: 'program-missing', program: 'mybot' } as const;
    const decision = see(buildTaskIn('working', UNDER_WAY), { ...startFailed(), failure });
    expect(updateOf(decision).runtime.worker).toMatchObject({ kind: 'ended', isNoted: false });
  });

  it('for the same reason again is no news, and waits longer', () => {
    const retryAtMs = momentAt().monotonicMs;
    const since = '2026-01-02T11:00:00Z';
    const startTrouble = { reason: 'broken', failures: 1, retryAtMs, since };
    const decision = see(buildTask({ ...UNDER_WAY, startTrouble }), startFailed());
    expect(decision.effects).toEqual([]);
    const change = updateOf(decision);
    expect(change.events).toEqual([]);
    expect(change.runtime.startTrouble).toEqual({
      reason: 'broken',
      failures: 2,
      retryAtMs: retryAtMs + 30_000,
      since,
      heldBy: null,
    });
  });

  it('in a worktree that the task has already is told as the crash it counts as', () => {
    const worker = { kind: 'starting', launchId: 'launch-1', window: 'worker' } as const;
    const decision = see(buildTaskIn('working', { worker, activity: 'starting' }), startFailed());
    expect(decision.effects).toEqual([]);
  });

  it('is never tried again within the second', () => {
    const settings = buildSettings({ policy: { respawnBackoffSeconds: [0] } });
    const change = updateOf(see(buildTask(UNDER_WAY), startFailed(), { settings }));
    expect(change.runtime.startTrouble?.retryAtMs).toBe(momentAt().monotonicMs + 1000);
  });

  it('in a task that has begun is an end that counts as a crash', () => {
    const change = updateOf(see(buildTaskIn('working', UNDER_WAY), startFailed()));
    expect(change.fields).toEqual({});
    expect(change.runtime.worker).toEqual(
      endedAgent('worker', {
        launchId: 'launch-1',
        exit: { status: null, signal: null, hasScreen: false },
        startFailure: 'broken',
      }),
    );
  });
});

describe('a merge', () => {
  const merging = buildTaskIn('reviewing', { activity: 'merging' });
  const merged = {
    kind: 'merged',
    taskId: TASK_ID,
    askedBy: 'human',
    commit: 'c0ffee',
    strategy: 'squash',
    checks: [],
  } as const;
  const failed = {
    kind: 'merge-failed',
    taskId: TASK_ID,
    askedBy: 'human',
    failure: BROKEN,
    reason: 'conflict',
    checks: [],
  } as const;

  it('ORA-70 ORA-87 that worked makes the task done and removes its branch', () => {
    const decision = see(merging, merged);
    expect(updateOf(decision)).toMatchObject({
      fields: { status: 'done' },
      events: [
        { type: 'task.merged', commit: 'c0ffee' },
        { type: 'status.changed', from: 'reviewing', to: 'done' },
      ],
    });
    expect(decision.effects).toMatchObject([{ kind: 'release-workspace', deleteBranch: true }]);
  });

  it('keeps the branch where the settings say so', () => {
    const merge = { strategy: 'squash', push: false, deleteBranch: false } as const;
    const decision = see(merging, merged, { settings: buildSettings({ merge }) });
    expect(decision.effects).toMatchObject([{ deleteBranch: false }]);
  });

  it('of a task without a worktree has only its branch to clear away', () => {
    const task = { ...merging, fields: { ...merging.fields, workspace: null } };
    const decision = see(task, merged);
    expect(decision.effects).toMatchObject([{ kind: 'delete-branch' }]);
    expect(updateOf(decision).runtime.activity).toBeNull();
  });

  it('that failed leaves the task in reviewing with the reason', () => {
    const decision = see(merging, failed);
    expect(updateOf(decision)).toMatchObject({
      fields: {},
      runtime: { activity: null, mergeTrouble: 'conflict' },
    });
    expect(decision.failure).toEqual(BROKEN);
  });

  it('that is heard of twice changes nothing', () => {
    const releasing = buildTaskIn('done', { activity: 'releasing' });
    expect(see(releasing, merged)).toEqual(NOTHING);
    expect(see(releasing, failed)).toEqual(NOTHING);
  });
});

describe('a rename', () => {
  const renaming = buildTaskIn('working', { activity: 'renaming' });

  it('that worked is written then', () => {
    const change = updateOf(
      see(renaming, { kind: 'branch-renamed', taskId: TASK_ID, to: 'night' }),
    );
    expect(change).toMatchObject({
      fields: { branch: 'night' },
      events: [{ type: 'task.updated', fields: ['branch'] }],
      runtime: { activity: null },
    });
  });

  it('that failed leaves the branch', () => {
    const decision = see(renaming, { kind: 'rename-failed', taskId: TASK_ID, failure: BROKEN });
    expect(updateOf(decision)).toMatchObject({ fields: {}, runtime: { activity: null } });
    expect(decision.failure).toEqual(BROKEN);
  });
});

describe('a word about a task that is gone', () => {
  it('changes nothing', () => {
    expect(decide(buildWorld(), started(), momentAt())).toEqual(NOTHING);
    expect(decide(buildWorld(), startFailed(), momentAt())).toEqual(NOTHING);
  });
});
