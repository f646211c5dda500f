import { describe, expect, it } from 'vitest';
import type { Actor, TaskRequest } from '../../src/domain/request.js';
import { STATUSES } from '../../src/domain/status.js';
import type { TaskState } from '../../src/domain/world.js';
import { decide } from '../../src/engine/decide.js';
import { updateOf } from '../builders/decision-parts.js';
import { buildTask, buildTaskIn, HANDOFF, PLAN } from '../builders/task.js';
import { buildWorld, momentAt } from '../builders/world.js';

function waiting(id: string, blocked_by: readonly string[] = []): TaskState {
  const extensions = blocked_by.length === 0 ? {} : { blocked_by };
  return buildTask({ extensions, fields: { id, branch: id } });
}

function ask(tasks: readonly TaskState[], request: TaskRequest, actor: Actor = 'human') {
  const world = buildWorld({ tasks });
  return decide(world, { kind: 'request', request, actor, newId: 'unused' }, momentAt());
}

describe('task block', () => {
  it('ORC-30 adds to what a task waits for, each once', () => {
    const tasks = [waiting('a', ['b']), waiting('b'), waiting('c')];
    const decision = ask(tasks, { kind: 'task.block', taskId: 'a', blockers: ['c', 'b', 'c'] });
    expect(updateOf(decision)).toMatchObject({
      extensions: { blocked_by: ['b', 'c'] },
      events: [{ type: 'task.updated', fields: ['blocked_by'], by: 'human' }],
    });
  });

  it('writes nothing when the task waits for it already', () => {
    const tasks = [waiting('a', ['b']), waiting('b')];
    const decision = ask(tasks, { kind: 'task.block', taskId: 'a', blockers: ['b'] });
    expect(decision).toEqual({ changes: [], effects: [], failure: null, taskId: 'a' });
  });

  it.each([
    ['ORC-49 itself', 'a', [], { kind: 'blocked-by-self' }],
    ['ORC-48 one that does not exist', 'gone', [], { kind: 'not-found', name: 'gone' }],
    ['ORC-50 one that waits for it', 'b', ['a'], { kind: 'blocking-cycle', path: ['a', 'b', 'a'] }],
  ] as const)('refuses %s', (_, blocker, blockedBy, failure) => {
    const tasks = [waiting('a'), waiting('b', blockedBy)];
    const decision = ask(tasks, { kind: 'task.block', taskId: 'a', blockers: [blocker] });
    expect(decision).toMatchObject({ changes: [], failure });
  });

  it('ORC-50 refuses a cycle over several tasks and names all of them', () => {
    const tasks = [waiting('a'), waiting('b', ['c']), waiting('c', ['d']), waiting('d', ['a'])];
    const decision = ask(tasks, { kind: 'task.block', taskId: 'a', blockers: ['b'] });
    expect(decision.failure).toEqual({ kind: 'blocking-cycle', path: ['a', 'b', 'c', 'd', 'a'] });
  });

  it('is for people, and for tasks that are not over', () => {
    const request = { kind: 'task.block', taskId: 'a', blockers: ['b'] } as const;
    expect(ask([waiting('a'), waiting('b')], request, 'agent').failure?.kind).toBe(
      'not-for-agents',
    );
    const done = buildTaskIn('done', { fields: { id: 'a' } });
    expect(ask([done, waiting('b')], request).failure).toMatchObject({
      kind: 'wrong-status',
      action: 'block',
    });
  });
});

describe('task unblock', () => {
  it.each([
    ['what is named', ['b'], ['gone']],
    ['what does not exist any more', ['gone'], ['b']],
    ['everything when nothing is named', [], null],
    ['the last one', ['b', 'gone'], null],
  ] as const)('ORC-30 takes away %s', (_, blockers, left) => {
    const tasks = [waiting('a', ['b', 'gone']), waiting('b')];
    const decision = ask(tasks, { kind: 'task.unblock', taskId: 'a', blockers });
    expect(updateOf(decision)).toMatchObject({ extensions: { blocked_by: left } });
  });

  it('refuses one that the task does not wait for, by name and with what helps', () => {
    const tasks = [waiting('a', ['b']), waiting('b'), waiting('c')];
    const decision = ask(tasks, { kind: 'task.unblock', taskId: 'a', blockers: ['c'] });
    expect(decision).toMatchObject({
      changes: [],
      failure: {
        kind: 'invalid-argument',
        value: 'shop/c',
        remedy: 'See what it waits for with: orange task deps shop/a',
      },
    });
  });
});

describe('task hold and release', () => {
  it('sets the reason, and takes it away', () => {
    const held = ask([waiting('a')], { kind: 'task.hold', taskId: 'a', reason: 'after the fair' });
    expect(updateOf(held)).toMatchObject({ extensions: { hold: 'after the fair' } });
    const task = buildTask({ extensions: { hold: 'x' }, fields: { id: 'a' } });
    expect(updateOf(ask([task], { kind: 'task.release', taskId: 'a' }))).toMatchObject({
      extensions: { hold: null },
      events: [{ type: 'task.updated', fields: ['hold'] }],
    });
  });

  it.each(STATUSES.filter((status) => status !== 'pending'))(
    'is not for a task in %s',
    (status) => {
      const task = buildTaskIn(status, { fields: { id: 'a' } });
      const decision = ask([task], { kind: 'task.hold', taskId: 'a', reason: 'x' });
      const name = `${task.fields.project}/${task.fields.branch}`;
      expect(decision.failure).toMatchObject({
        kind: 'wrong-status',
        allowed: ['pending'],
        task: name,
      });
    },
  );
});

describe('task requeue', () => {
  const artifacts = { ...PLAN, ...HANDOFF };

  it.each(['planning', 'working'] as const)('frees the worktree of a task in %s', (status) => {
    const task = buildTaskIn(status, { artifacts, fields: { id: 'a' } });
    const decision = ask([task], { kind: 'task.requeue', taskId: 'a', hold: null });
    expect(updateOf(decision)).toMatchObject({
      fields: { status: 'pending' },
      extensions: {},
      sections: [],
      events: [{ type: 'status.changed', from: status, to: 'pending', reason: 'requeued' }],
      runtime: { activity: 'releasing' },
    });
    expect(decision.effects).toEqual([
      {
        kind: 'release-workspace',
        taskId: 'a',
        session: 'shop/dark-mode',
        workspace: 'shop--1',
        deleteBranch: false,
      },
    ]);
  });

  it('holds it back in the same step when asked to', () => {
    const task = buildTaskIn('working', { fields: { id: 'a' } });
    const decision = ask([task], { kind: 'task.requeue', taskId: 'a', hold: 'later' });
    expect(updateOf(decision)).toMatchObject({
      fields: { status: 'pending' },
      extensions: { hold: 'later' },
      events: [
        { type: 'task.updated', fields: ['hold'], by: 'human' },
        { type: 'status.changed', to: 'pending' },
      ],
    });
  });

  it.each(['pending', 'reviewing', 'done'] as const)('is not for a task in %s', (status) => {
    const task = buildTaskIn(status, { fields: { id: 'a' } });
    const decision = ask([task], { kind: 'task.requeue', taskId: 'a', hold: null });
    expect(decision.failure).toMatchObject({
      kind: 'wrong-status',
      allowed: ['planning', 'working'],
    });
  });

  it('is not for agents', () => {
    const task = buildTaskIn('working', { fields: { id: 'a' } });
    const request = { kind: 'task.requeue', taskId: 'a', hold: null } as const;
    expect(ask([task], request, 'agent').failure?.kind).toBe('not-for-agents');
  });
});
