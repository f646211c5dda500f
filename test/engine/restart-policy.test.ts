import { describe, expect, it } from 'vitest';
import type { TaskState } from '../../src/domain/world.js';
import { advance } from '../../src/engine/advance.js';
import { permitRestart, restoreRestarts, withRestart } from '../../src/engine/restart-policy.js';
import { updateOf } from '../builders/decision-parts.js';
import { buildTaskIn, endedAgent, PLAN, verdict } from '../builders/task.js';
import { buildSettings, buildWorld, momentAt } from '../builders/world.js';

const now = momentAt().monotonicMs;
const noted = endedAgent('worker', { isNoted: true });

/** A task whose agent is due now, restarted so many milliseconds ago. */
function dueTask(agesMs: readonly number[] = [], parts: Partial<TaskState> = {}): TaskState {
  const restarts = agesMs.map((age) => now - age);
  return buildTaskIn('working', { worker: noted, respawnAtMs: now, restarts, ...parts });
}

/** As many other tasks, each restarted once, so many milliseconds ago. */
function others(agesMs: readonly number[]): readonly TaskState[] {
  return agesMs.map((age, index) =>
    buildTaskIn('working', { fields: { id: `other${index}` }, restarts: [now - age] }),
  );
}

describe('G11 the restarts of one task', () => {
  it.each<[string, readonly number[], string]>([
    ['the first', [], 'now'],
    ['the third within a minute', [40_000, 30_000], 'now'],
    ['a fourth within a minute', [59_999, 40_000, 20_000], 'too-often'],
    ['a fourth after a minute', [60_000, 40_000, 20_000], 'now'],
  ])('%s: %j ms ago is %s', (_, ages, expected) => {
    const task = dueTask(ages);
    expect(permitRestart(buildWorld({ tasks: [task] }), task, momentAt()).kind).toBe(expected);
  });

  it('forget what is over when another begins', () => {
    expect(withRestart(dueTask([60_000, 59_999]), momentAt())).toEqual([now - 59_999, now]);
  });
});

describe('G11 the restarts of all tasks', () => {
  it.each<[string, readonly number[], number]>([
    ['go on while there are few', [50_000, 40_000], 0],
    ['keep a second between them', [50_000, 300], 700],
    ['are ten a minute', [50, 49, 48, 47, 46, 45, 44, 43, 42, 41].map((s) => s * 1000), 10_000],
    ['are ten in any minute', Array.from({ length: 10 }, () => 59_000), 1000],
  ])('%s', (_, ages, waitMs) => {
    const task = dueTask();
    const permit = permitRestart(buildWorld({ tasks: [task, ...others(ages)] }), task, momentAt());
    expect(permit).toEqual(
      waitMs === 0 ? { kind: 'now' } : { kind: 'wait', untilMs: now + waitMs },
    );
  });

  it('are promised one by one, and each keeps its turn', () => {
    const tasks = Array.from({ length: 25 }, (_, index) =>
      dueTask([], { fields: { ...dueTask().fields, id: `task${index}` } }),
    );
    const turns = tasks.map((_, index) => {
      const world = buildWorld({ tasks });
      const task = tasks[index];
      if (task === undefined) throw new Error('no task');
      const permit = permitRestart(world, task, momentAt());
      if (permit.kind === 'too-often') throw new Error('too often');
      const atMs = permit.kind === 'now' ? now : permit.untilMs;
      tasks[index] = { ...task, respawnAtMs: atMs, awaitsTurn: true };
      return atMs - now;
    });
    const seconds = turns.map((ms) => ms / 1000);
    expect(seconds.slice(0, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(seconds.slice(10, 20)).toEqual([60, 61, 62, 63, 64, 65, 66, 67, 68, 69]);
    expect(seconds.slice(20)).toEqual([120, 121, 122, 123, 124]);
    const [, second] = tasks;
    if (second === undefined) throw new Error('no task');
    expect(permitRestart(buildWorld({ tasks }), second, momentAt(1000))).toEqual({ kind: 'now' });
  });

  it('hold a task back at its turn when people were busy meanwhile', () => {
    const task = dueTask([], { awaitsTurn: true });
    const busy = others(Array.from({ length: 10 }, () => 20_000));
    const permit = permitRestart(buildWorld({ tasks: [task, ...busy] }), task, momentAt());
    expect(permit).toEqual({ kind: 'wait', untilMs: now + 40_000 });
  });
});

describe('G11 a restart that may not be', () => {
  const busy = others(Array.from({ length: 10 }, () => 20_000));

  it('F62 makes the task stuck when it has been too often, whatever the back-off', () => {
    const task = dueTask([3, 2, 1]);
    const settings = buildSettings({ policy: { crashLimit: 1000, respawnBackoffSeconds: [0] } });
    const decision = advance(buildWorld({ tasks: [task], settings }), task, momentAt());
    const change = updateOf(decision);
    expect(change.fields).toEqual({ status: 'stuck' });
    expect(change.events).toEqual([
      {
        type: 'auto.advanced',
        from: 'working',
        to: 'stuck',
        reason: 'restarted too often',
        restarts: 3,
        within_seconds: 60,
      },
    ]);
    expect(change.runtime.stuckBecause).toBe(
      'started again 3 times within 60 s and ended each time',
    );
    expect(decision?.effects).toMatchObject([{ kind: 'notify-human', cause: 'stuck' }]);
  });

  it('waits for its turn when all tasks together have been often enough', () => {
    const task = dueTask();
    const world = buildWorld({ tasks: [task, ...busy] });
    const change = updateOf(advance(world, task, momentAt()));
    expect(change.runtime).toEqual({ respawnAtMs: now + 40_000, awaitsTurn: true });
    const waiting = { ...task, ...change.runtime };
    expect(advance(world, waiting, momentAt(39_999))).toBeNull();
    const start = advance(world, waiting, momentAt(40_000));
    expect(start?.effects).toMatchObject([{ kind: 'start-agent' }]);
    expect(updateOf(start).runtime).toMatchObject({ awaitsTurn: false, restarts: [now + 40_000] });
  });

  it('lets a planned task move on, and its worker wait, known as no crash', () => {
    const task = buildTaskIn('planning', { worker: endedAgent('worker'), artifacts: PLAN });
    const decision = advance(buildWorld({ tasks: [task, ...busy] }), task, momentAt());
    const change = updateOf(decision);
    expect(change.events).toMatchObject([{ to: 'working', ended: 'worker-1' }]);
    expect(change.runtime).toMatchObject({ worker: { isNoted: true }, respawnAtMs: now });
    expect(decision?.effects).toEqual([]);
  });

  it('tells a worker that had to wait what its review found', () => {
    const worker = endedAgent('worker');
    const review = { worker, artifacts: verdict('FAIL') };
    const task = buildTaskIn('agent-review', review);
    const change = updateOf(advance(buildWorld({ tasks: [task, ...busy] }), task, momentAt()));
    const back = { ...task, ...change.runtime, fields: { ...task.fields, ...change.fields } };
    const [start] = advance(buildWorld({ tasks: [back] }), back, momentAt())?.effects ?? [];
    expect(start).toMatchObject({ message: { kind: 'review-failed', round: 1 } });
  });

  it('holds for a worker whose records are gone', () => {
    const task = buildTaskIn('working', { worker: { kind: 'absent' } });
    const change = updateOf(advance(buildWorld({ tasks: [task, ...busy] }), task, momentAt()));
    expect(change.runtime).toEqual({ respawnAtMs: now + 40_000, awaitsTurn: true });
  });

  it('holds for a reviewer, and not for the first of a round', () => {
    const first = buildTaskIn('agent-review', { reviewer: { kind: 'absent' } });
    const world = buildWorld({ tasks: [first, ...busy] });
    expect(advance(world, first, momentAt())?.effects).toMatchObject([{ role: 'reviewer' }]);
    const again = { ...first, reviewer: endedAgent('review-1', { isNoted: true }) };
    const due = { ...again, respawnAtMs: now, restarts: [now - 3, now - 2, now - 1] };
    const change = updateOf(advance(buildWorld({ tasks: [due] }), due, momentAt()));
    expect(change.fields).toEqual({ status: 'stuck' });
  });
});

describe('restarts from before the daemon was started', () => {
  const wall = momentAt().nowMs;

  it('are known by their timestamps', () => {
    expect(restoreRestarts([wall - 60_000, wall - 59_999, wall - 5], momentAt())).toEqual([
      now - 59_999,
      now - 5,
    ]);
  });

  it('F10 say nothing when the clock was set back since, nor when they are no times', () => {
    expect(restoreRestarts([wall + 1, wall + 3_600_000, Number.NaN], momentAt())).toEqual([]);
  });
});
