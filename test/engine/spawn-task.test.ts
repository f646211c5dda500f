import { describeFailure } from '../../src/domain/describe-failure.js';
import { describe, expect, it } from 'vitest';
import type { Extensions } from '../../src/domain/task.js';
import { decide } from '../../src/engine/decide.js';
import { updateOf } from '../builders/decision-parts.js';
import { buildTask, buildTaskIn, type TaskParts } from '../builders/task.js';
import { buildProject, buildWorld, momentAt, type WorldParts } from '../builders/world.js';

function spawn(parts: TaskParts, given: WorldParts & { readonly force?: boolean } = {}) {
  const { force = false, tasks = [], ...rest } = given;
  const task = buildTask(parts);
  const request = { kind: 'task.spawn', taskId: task.fields.id, force } as const;
  const world = buildWorld({ ...rest, tasks: [task, ...tasks] });
  return decide(world, { kind: 'request', request, actor: 'human', newId: 'unused' }, momentAt());
}

const blocker = buildTaskIn('working', { fields: { id: 'blocker', workspace: 'shop--2' } });

describe('task spawn', () => {
  it('ORA-63 starts a pending task and leaves it pending until the agent runs', () => {
    const decision = spawn({});
    expect(decision.effects).toMatchObject([{ kind: 'start-agent', isResuming: false }]);
    expect(updateOf(decision)).toMatchObject({ fields: {}, events: [] });
  });

  it('lifts the hold of --no-spawn and tells it', () => {
    const decision = spawn({ extensions: { hold: 'not spawned' } });
    expect(decision.effects).toMatchObject([{ kind: 'start-agent' }]);
    expect(updateOf(decision)).toMatchObject({
      extensions: { hold: null },
      events: [{ type: 'task.updated', fields: ['hold'], by: 'human' }],
    });
  });

  it('passes the start gate: a person has asked', () => {
    expect(spawn({ extensions: { gates: { start: 'human' } } }).effects).toHaveLength(1);
  });

  it('forgets the trouble of an earlier start', () => {
    const retryAtMs = momentAt(60_000).monotonicMs;
    const since = '2026-01-02T11:00:00Z';
    const decision = spawn({ startTrouble: { reason: 'no git', failures: 3, retryAtMs, since } });
    expect(decision.effects).toHaveLength(1);
    expect(updateOf(decision).runtime.startTrouble).toBeNull();
  });

  const hard: readonly (readonly [string, Extensions])[] = [
    ['held: for the release', { hold: 'for the release' }],
    ['in the backlog', { queue: 'backlog' }],
    ['assigned to ann', { assignee: 'ann' }],
    ['blocked by blocker (working)', { blocked_by: ['blocker'] }],
    ['blocked by gone, which does not exist', { blocked_by: ['gone'] }],
  ];

  it.each(hard)('refuses a task that is %s', (reason, extensions) => {
    expect(spawn({ extensions }, { tasks: [blocker] })).toMatchObject({
      changes: [],
      effects: [],
      failure: { kind: 'not-eligible', reasons: [reason] },
    });
  });

  it.each(hard)('ORC-65 with --force starts a task that is %s', (_, extensions) => {
    const decision = spawn({ extensions }, { tasks: [blocker], force: true });
    expect(decision.failure).toBeNull();
    expect(decision.effects).toMatchObject([{ kind: 'start-agent' }]);
  });

  it('refuses a harness that is not installed, even with --force', () => {
    const decision = spawn({}, { installedHarnesses: [], force: true });
    expect(decision.failure).toMatchObject({ kind: 'not-eligible' });
  });

  it.each([true, false])('names the task and what helps where no force does: %s', (force) => {
    const { failure } = spawn({}, { installedHarnesses: [], force });
    if (failure === null) throw new Error('started');
    expect(describeFailure(failure)).toEqual({
      message: 'Task shop/dark-mode cannot start yet: harness claude is not installed.',
      hint: 'Install it, or choose another with: orange task update shop/dark-mode --harness NAME. No --force starts it before.',
    });
  });

  it('lets the task wait its turn when the pool is full', () => {
    const projects = [buildProject({ pool_size: 1 })];
    const decision = spawn({ extensions: { hold: 'not spawned' } }, { projects, tasks: [blocker] });
    expect(decision).toMatchObject({ effects: [], failure: null });
    expect(updateOf(decision).extensions).toEqual({ hold: null });
  });
});
