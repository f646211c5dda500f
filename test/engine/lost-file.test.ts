import { describe, expect, it } from 'vitest';
import type { TaskState } from '../../src/domain/world.js';
import { absorb } from '../../src/engine/absorb.js';
import { decide } from '../../src/engine/decide.js';
import { buildTask, buildTaskIn, TASK_ID, type TaskParts } from '../builders/task.js';
import { buildWorld, momentAt } from '../builders/world.js';
import { updateOf } from '../builders/decision-parts.js';

const BODY = '\n## Context\n\nWhy.\n\n## Plan\n\nAPPROACH: x\n';
const DUE_MS = 2000;

function finding(code: string) {
  return { code, severity: 'error', file: 'f', line: 1, message: 'm', fix: 'put it back' } as const;
}

/** A task whose file was seen to be unreadable, for that reason. */
function unreadable(
  task: TaskState,
  { code = 'ORA005', body = BODY }: { readonly code?: string; readonly body?: string | null } = {},
): TaskState {
  const lost = { dueAtMs: momentAt(DUE_MS).monotonicMs, body };
  const since = momentAt().timestamp;
  const diagnostics = [finding(code)];
  return absorb(task, { kind: 'file-unreadable', taskId: TASK_ID, since, diagnostics, lost });
}

function reconsider(task: TaskState, atMs: number) {
  const world = buildWorld({ tasks: [task] });
  return decide(world, { kind: 'reconsider', taskId: TASK_ID }, momentAt(atMs));
}

describe('a TASK.md that says nothing or is gone', () => {
  it.each([
    ['ORA005', 'empty'],
    ['ORA006', 'gone'],
  ])('F13 F36 is written anew once it has stayed so: %s', (code, because) => {
    const task = unreadable(buildTaskIn('working'), { code });
    expect(reconsider(task, DUE_MS - 1).changes).toEqual([]);
    expect(updateOf(reconsider(task, DUE_MS))).toMatchObject({
      anew: BODY,
      fields: {},
      events: [{ type: 'task.restored', because, sections: ['Context', 'Plan'] }],
    });
  });

  const left: readonly (readonly [string, TaskParts, string, string | null])[] = [
    ['known from its history alone', { isProvisional: true }, 'ORA005', BODY],
    ['never read', {}, 'ORA005', null],
    ['saying something', {}, 'ORA033', BODY],
    ['busy', { activity: 'starting' }, 'ORA005', BODY],
  ];
  it.each(left)('is left alone while it is %s', (_, parts, code, body) => {
    const task = unreadable(buildTaskIn('working', parts), { code, body });
    expect(reconsider(task, DUE_MS).changes).toEqual([]);
  });

  it('is left alone when the task is over', () => {
    expect(reconsider(unreadable(buildTask({ fields: { status: 'done' } })), DUE_MS)).toMatchObject(
      { changes: [] },
    );
  });

  it('tells what is lost with it, and what helps', () => {
    const known = unreadable(buildTaskIn('working'));
    expect(known.problems[0]?.fix).toMatch(/written anew from what is known/);
    const provisional = unreadable(buildTaskIn('working', { isProvisional: true }));
    expect(provisional.problems[0]).toMatchObject({
      message: 'm, and its Context and sections are not known',
      fix: expect.stringContaining('orange doctor --fix task-unreadable'),
    });
  });

  it('F36 is written anew at once for whoever asks, with what is known', () => {
    const task = unreadable(buildTaskIn('working', { isProvisional: true }), { body: null });
    const request = { kind: 'task.restore', taskId: TASK_ID } as const;
    const ask = (about: TaskState, actor: 'human' | 'agent') =>
      decide(
        buildWorld({ tasks: [about] }),
        { kind: 'request', request, actor, newId: 'unused' },
        momentAt(),
      );
    expect(updateOf(ask(task, 'human'))).toMatchObject({
      anew: '',
      events: [{ type: 'task.restored', because: 'empty', sections: [], by: 'human' }],
    });
    expect(ask(task, 'agent').failure).toMatchObject({ kind: 'not-for-agents' });
    expect(ask(buildTaskIn('working'), 'human').changes).toEqual([]);
  });
});
