import { describe, expect, it } from 'vitest';
import type { AgentExit, Interruption } from '../../src/domain/session.js';
import type { Policy } from '../../src/domain/settings.js';
import { NO_GATES, type TaskState } from '../../src/domain/world.js';
import { advance } from '../../src/engine/advance.js';
import { backoffMs } from '../../src/engine/crash-policy.js';
import { updateOf } from '../builders/decision-parts.js';
import {
  buildTaskIn,
  endedAgent,
  HANDOFF,
  liveAgent,
  PLAN,
  TASK_ID,
  verdict,
} from '../builders/task.js';
import { buildSettings, buildWorld, momentAt } from '../builders/world.js';

function after(task: TaskState, policy: Partial<Policy> = {}, elapsedMs = 0) {
  const world = buildWorld({ tasks: [task], settings: buildSettings({ policy }) });
  return advance(world, task, momentAt(elapsedMs));
}

function interrupted(window: string, interruptedBy: Interruption) {
  const exit = { status: 129, signal: 'SIGHUP', hasScreen: false, interruptedBy };
  return endedAgent(window, { exit });
}

function notedEnd(exit: AgentExit) {
  const task = buildTaskIn('working', { worker: endedAgent('worker', { exit }) });
  return updateOf(after(task)).runtime.worker;
}

const dead = endedAgent('worker');
const now = momentAt().monotonicMs;

describe('an agent that has ended without its artifact', () => {
  it.each([
    ['planning', 'worker', 'no ## Plan'],
    ['working', 'worker', 'no ## Handoff'],
    ['agent-review', 'reviewer', 'no ## Review'],
  ] as const)('ORA-85 ORA-88 in %s leaves agent.crashed for its %s: %s', (status, role, reason) => {
    const window = role === 'worker' ? 'worker' : 'review-1';
    const agent = endedAgent(window, { exit: { status: 3, signal: null, hasScreen: true } });
    const decision = after(buildTaskIn(status, { [role]: agent }));
    const change = updateOf(decision);
    expect(change.fields).toEqual({ crash_count: 1 });
    expect(change.events).toEqual([
      {
        type: 'agent.crashed',
        status,
        crash_count: 1,
        reason,
        exit_status: 3,
        window,
        launch: `${window}-1`,
        transcript: `transcripts/${window}-${window}-1.txt`,
      },
    ]);
    expect(Object.keys(change.events[0] ?? {}).slice(0, 4)).toEqual([
      'type',
      'status',
      'crash_count',
      'reason',
    ]);
    expect(decision?.effects).toEqual([
      { kind: 'keep-screen', taskId: TASK_ID, window, transcript: `${window}-${window}-1.txt` },
    ]);
    expect(change.runtime[role]).toMatchObject({ kind: 'ended', isNoted: true });
  });

  it('names the signal that ended it, and no transcript where there was no screen', () => {
    const worker = endedAgent('worker', {
      exit: { status: null, signal: 'SIGKILL', hasScreen: false },
    });
    const decision = after(buildTaskIn('working', { worker }));
    const change = updateOf(decision);
    expect(change.events[0]).toMatchObject({ exit_status: null, signal: 'SIGKILL' });
    expect(change.events[0]).not.toHaveProperty('transcript');
    expect(decision?.effects).toEqual([]);
  });

  it.each([
    [127, 'no ## Handoff: command not found'],
    [126, 'no ## Handoff: command cannot be run'],
    [0, 'no ## Handoff'],
  ])('F60 with exit status %i says: %s', (status, reason) => {
    const worker = endedAgent('worker', { exit: { status, signal: null, hasScreen: false } });
    const change = updateOf(after(buildTaskIn('working', { worker })));
    expect(change.events[0]).toMatchObject({ exit_status: status, reason });
  });

  it.each([
    ['at once', { status: 1, signal: null, ranMs: 14_999 }, true],
    ['after a while', { status: 1, signal: null, ranMs: 15_000 }, false],
    ['by a signal', { status: 137, signal: 'SIGKILL', ranMs: 10 }, false],
    ['nobody knows how', { status: null, signal: null }, false],
  ])('that ended %s is started anew next time, without its conversation: %j', (_, exit, drops) => {
    const worker = endedAgent('worker', { exit: { ...exit, hasScreen: false } });
    const extensions = { harness_session: 'c0ffee' };
    const change = updateOf(after(buildTaskIn('working', { worker, extensions })));
    expect(change.extensions).toEqual(drops ? { harness_session: null } : {});
    expect(change.events[0]?.['conversation']).toBe(drops ? 'dropped' : undefined);
  });

  it('is started again after the back-off, and not before', () => {
    expect(updateOf(after(buildTaskIn('working', { worker: dead }))).runtime.respawnAtMs).toBe(
      now + 5000,
    );
    const counted = { ...dead, isNoted: true };
    const waiting = buildTaskIn('working', { worker: counted, respawnAtMs: now + 5000 });
    expect(after(waiting, {}, 4999)).toBeNull();
    const decision = after(waiting, {}, 5000);
    expect(decision?.effects).toMatchObject([
      {
        kind: 'start-agent',
        role: 'worker',
        isResuming: true,
        needsBinding: false,
        workspace: 'shop--1',
        session: 'shop/dark-mode',
        message: { kind: 'go-on', status: 'working' },
      },
    ]);
    expect(updateOf(decision).runtime).toMatchObject({ activity: 'starting', respawnAtMs: null });
  });

  it.each([undefined, 'server'] as const)(
    'ended when that was seen, where nobody recorded it better: %s',
    (interruptedBy) => {
      const exit = { status: null, signal: null, hasScreen: false };
      const by = interruptedBy === undefined ? {} : { interruptedBy };
      const known = { ...exit, ...by, endedAt: '2026-01-02T11:00:00Z' };
      expect(notedEnd({ ...exit, ...by })).toMatchObject({
        exit: { endedAt: momentAt().timestamp },
      });
      expect(notedEnd(known)).toMatchObject({ exit: { endedAt: '2026-01-02T11:00:00Z' } });
    },
  );

  it('is left for a person, who is told, where auto_respawn is off', () => {
    const task = buildTaskIn('working', { worker: dead });
    const decision = after(task, { autoRespawn: false });
    expect(updateOf(decision).runtime.respawnAtMs).toBeNull();
    expect(decision?.effects).toEqual([
      { kind: 'notify-human', taskId: TASK_ID, cause: 'crashed' },
    ]);
    const counted = buildTaskIn('working', { worker: { ...dead, isNoted: true } });
    expect(after(counted, { autoRespawn: false }, 600_000)).toBeNull();
  });

  it('makes the task stuck at the limit and keeps the count', () => {
    const task = buildTaskIn('working', { worker: dead, fields: { crash_count: 1 } });
    const decision = after(task);
    const change = updateOf(decision);
    expect(change.fields).toEqual({ status: 'stuck', crash_count: 2 });
    expect(change.events).toMatchObject([
      { type: 'agent.crashed', crash_count: 2 },
      { type: 'auto.advanced', from: 'working', to: 'stuck', reason: 'no ## Handoff' },
    ]);
    expect(decision?.effects).toEqual([
      { kind: 'notify-human', taskId: task.fields.id, cause: 'stuck' },
    ]);
  });

  it('makes the task stuck at once with a limit of one', () => {
    const change = updateOf(after(buildTaskIn('planning', { worker: dead }), { crashLimit: 1 }));
    expect(change.fields).toEqual({ status: 'stuck', crash_count: 1 });
  });
});

describe('an agent that went down with its server or machine', () => {
  it.each([
    ['planning', 'worker', 'server'],
    ['working', 'worker', 'reboot'],
    ['agent-review', 'reviewer', 'server'],
  ] as const)('F53 in %s is noted and not counted: %s, %s', (status, role, cause) => {
    const window = role === 'worker' ? 'worker' : 'review-1';
    const agent = interrupted(window, cause);
    const decision = after(buildTaskIn(status, { [role]: agent, fields: { crash_count: 1 } }));
    const change = updateOf(decision);
    expect(change.fields).toEqual({});
    expect(change.events).toEqual([
      {
        type: 'agent.interrupted',
        status,
        cause,
        exit_status: 129,
        signal: 'SIGHUP',
        window,
        launch: `${window}-1`,
      },
    ]);
    expect(change.runtime).toMatchObject({
      [role]: { ...agent, isNoted: true },
      respawnAtMs: now,
    });
    expect(decision?.effects).toEqual([]);
  });

  it('is started again at once, with its conversation, whatever the back-off is', () => {
    const worker = { ...interrupted('worker', 'server'), isNoted: true };
    const task = buildTaskIn('working', { worker, respawnAtMs: now });
    expect(after(task, { respawnBackoffSeconds: [600] })?.effects).toMatchObject([
      { kind: 'start-agent', role: 'worker', isResuming: true },
    ]);
  });

  it.each([{ afterInterruption: 'show' }, { autoRespawn: false }] as const)(
    'is left for a person, who is told, with %j',
    (policy) => {
      const task = buildTaskIn('working', { worker: interrupted('worker', 'server') });
      const decision = after(task, policy);
      expect(updateOf(decision).runtime.respawnAtMs).toBeNull();
      const { id: taskId } = task.fields;
      expect(decision?.effects).toEqual([
        { kind: 'end-window', taskId, session: 'shop/dark-mode', window: 'worker' },
        { kind: 'notify-human', taskId, cause: 'interrupted' },
      ]);
      const noted = { ...interrupted('worker', 'server'), isNoted: true };
      expect(after(buildTaskIn('working', { worker: noted }), policy, 600_000)).toBeNull();
    },
  );

  it('with its artifact moves on like any other', () => {
    const worker = interrupted('worker', 'reboot');
    const change = updateOf(after(buildTaskIn('working', { worker, artifacts: HANDOFF })));
    expect(change.fields).toMatchObject({ status: 'agent-review' });
  });

  it.each([
    ['clarification', 'server'],
    ['reviewing', 'reboot'],
    ['stuck', 'server'],
  ] as const)('in %s is written down, and nothing is started for it: %s', (status, cause) => {
    const decision = after(buildTaskIn(status, { worker: interrupted('worker', cause) }));
    expect(updateOf(decision).events).toEqual([
      {
        type: 'agent.ended',
        status,
        exit_status: 129,
        signal: 'SIGHUP',
        interrupted_by: cause,
        window: 'worker',
        launch: 'worker-1',
      },
    ]);
    expect(updateOf(decision).runtime).not.toHaveProperty('respawnAtMs');
    expect(decision?.effects).toEqual([]);
  });
});

describe('an agent that has ended with its artifact', () => {
  it('in planning with a Plan goes on to working and is started again', () => {
    const decision = after(buildTaskIn('planning', { worker: dead, artifacts: PLAN }));
    expect(updateOf(decision).fields).toMatchObject({ status: 'working', crash_count: 0 });
    expect(decision?.effects).toMatchObject([{ kind: 'start-agent', isResuming: true }]);
  });

  it('ORA-86 in working with a fresh Handoff goes on to its review', () => {
    const change = updateOf(after(buildTaskIn('working', { worker: dead, artifacts: HANDOFF })));
    expect(change.fields).toMatchObject({ status: 'agent-review', review_round: 1 });
    expect(change.events).toMatchObject([
      { type: 'auto.advanced', from: 'working', to: 'agent-review', reason: '## Handoff found' },
    ]);
  });

  it('in working with the Handoff of before has crashed', () => {
    const stale = { worker: dead, artifacts: HANDOFF, handoffStamp: 'handoff-1' };
    expect(updateOf(after(buildTaskIn('working', stale))).fields).toEqual({ crash_count: 1 });
  });

  it('in agent-review with a verdict is followed', () => {
    const reviewer = endedAgent('review-1');
    const task = buildTaskIn('agent-review', { reviewer, artifacts: verdict('PASS') });
    expect(updateOf(after(task)).fields).toMatchObject({ status: 'reviewing', crash_count: 0 });
  });
});

describe('an end that is nobody’s crash', () => {
  it.each(['done', 'cancelled', 'pending'] as const)(
    'ORA-75 in %s a dead session changes nothing',
    (status) => {
      expect(after(buildTaskIn(status, { worker: dead }))).toBeNull();
    },
  );

  it.each(['clarification', 'reviewing', 'stuck', 'agent-review'] as const)(
    'ORA-75 in %s a dead worker is written down once, with its screen, and changes nothing else',
    (status) => {
      const exit = { status: 137, signal: 'SIGKILL', hasScreen: true };
      const worker = endedAgent('worker', { exit });
      const decision = after(buildTaskIn(status, { worker, fields: { crash_count: 1 } }));
      const transcript = 'worker-worker-1.txt';
      expect(updateOf(decision)).toMatchObject({ fields: {}, extensions: {}, sections: [] });
      expect(updateOf(decision).runtime).toEqual({
        worker: { ...worker, isNoted: true, exit: { ...exit, endedAt: momentAt().timestamp } },
      });
      expect(updateOf(decision).events).toEqual([
        {
          type: 'agent.ended',
          status,
          exit_status: 137,
          signal: 'SIGKILL',
          window: 'worker',
          launch: 'worker-1',
          transcript: `transcripts/${transcript}`,
        },
      ]);
      expect(decision?.effects).toEqual([
        { kind: 'keep-screen', taskId: TASK_ID, window: 'worker', transcript },
      ]);
      const noted = { ...worker, isNoted: true };
      expect(after(buildTaskIn(status, { worker: noted }), {}, 600_000)).toBeNull();
    },
  );

  it('an agent that never ran has not ended', () => {
    const worker = { ...dead, startFailure: 'no disk' };
    expect(after(buildTaskIn('reviewing', { worker }))).toBeNull();
  });

  it('a reviewer is not missed outside of agent-review', () => {
    expect(after(buildTaskIn('working', { reviewer: endedAgent('review-1') }))).toBeNull();
  });

  it('a task with a plan that waits for its approval is not crashed by the end of its agent', () => {
    const gates = { ...NO_GATES, planWaitsSince: '2026-01-02T11:00:00Z' };
    const extensions = { gates: { plan: 'human' } };
    const parts = { worker: dead, artifacts: PLAN, extensions, gates };
    expect(after(buildTaskIn('planning', parts))).toBeNull();
  });

  it('nothing is judged while something is under way or the file cannot be read', () => {
    expect(after(buildTaskIn('working', { worker: dead, activity: 'starting' }))).toBeNull();
    const problem = { code: 'ORA022', severity: 'error', file: 'f', line: 1 } as const;
    const problems = [{ ...problem, message: 'torn', fix: 'mend it' }];
    expect(after(buildTaskIn('working', { worker: dead, problems }))).toBeNull();
    expect(after(buildTaskIn('stuck', { worker: dead, problems }))).toBeNull();
  });

  it('a living agent is left alone', () => {
    expect(after(buildTaskIn('working', { worker: liveAgent('worker') }))).toBeNull();
  });
});

describe('backoffMs', () => {
  const { policy } = buildSettings({ policy: { respawnBackoffSeconds: [5, 30, 120] } });

  it.each([
    [1, 5000],
    [2, 30_000],
    [3, 120_000],
    [4, 120_000],
    [99, 120_000],
  ])('of crash %i is %i', (count, expected) => {
    expect(backoffMs(policy, count)).toBe(expected);
  });

  it('is nothing where no figures are given, and takes fractions', () => {
    expect(backoffMs({ ...policy, respawnBackoffSeconds: [] }, 1)).toBe(0);
    expect(backoffMs({ ...policy, respawnBackoffSeconds: [0.25] }, 2)).toBe(250);
  });
});
