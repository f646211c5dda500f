import { describe, expect, it } from 'vitest';
import type { FileRead, Observation } from '../../src/domain/observation.js';
import { NO_ARTIFACTS } from '../../src/domain/section.js';
import { absorb } from '../../src/engine/absorb.js';
import { buildTask, buildTaskIn, endedAgent, PLAN, TASK_ID } from '../builders/task.js';

const task = buildTaskIn('working');
const exit = { status: 1, signal: null, hasScreen: false };

function fileRead(parts: Partial<FileRead> = {}): FileRead {
  const { fields, extensions, context } = task;
  return {
    kind: 'file-read',
    taskId: TASK_ID,
    fields,
    extensions,
    context,
    artifacts: NO_ARTIFACTS,
    isSettled: true,
    ...parts,
  };
}

const ended = (launchId: string, role: 'worker' | 'reviewer' = 'worker'): Observation => ({
  kind: 'agent-ended',
  taskId: TASK_ID,
  role,
  launchId,
  window: role === 'worker' ? 'worker' : 'review-1',
  exit,
});

describe('absorb', () => {
  it('takes over what a file says of its artifacts, and claims nothing of a file that agrees', () => {
    const artifacts = { ...NO_ARTIFACTS, ...PLAN };
    expect(absorb(task, fileRead({ artifacts }))).toEqual({ ...task, artifacts });
  });

  it('keeps what a file says otherwise as a claim, the record untouched', () => {
    const fields = { ...task.fields, crash_count: 9 };
    const seen = absorb(task, fileRead({ fields }));
    expect(seen.fields).toEqual(task.fields);
    expect(seen.claims?.fields.crash_count).toBe(9);
  });

  it('forgets problems and claims when the file is well again', () => {
    const problem = { code: 'ORA022', severity: 'error', file: 'f', line: 1 } as const;
    const diagnostics = [{ ...problem, message: 'torn', fix: 'mend it' }];
    const since = '2026-01-02T12:00:00Z';
    const told = { kind: 'file-unreadable', taskId: TASK_ID, diagnostics } as const;
    const torn = absorb(task, { ...told, since });
    expect(torn).toMatchObject({ problems: diagnostics, isSettled: false, fields: task.fields });
    const later = absorb(torn, { ...told, since: '2026-01-02T13:00:00Z' });
    expect(later).toMatchObject({ unreadableSince: since });
    expect(absorb(later, fileRead())).toStrictEqual(task);
  });

  it('believes a file that can be read again in all but the status the history knows', () => {
    const provisional = buildTask({ isProvisional: true, fields: { status: 'working' } });
    const fields = { ...task.fields, status: 'done', summary: 'As written' } as const;
    const seen = absorb(provisional, fileRead({ fields }));
    expect(seen).toMatchObject({
      isProvisional: false,
      fields: { status: 'working', summary: 'As written' },
      claims: { fields: { status: 'done' } },
    });
  });

  it('F34 does not believe the updated_at of a file that can be read again', () => {
    const provisional = buildTask({ isProvisional: true });
    const fields = { ...task.fields, updated_at: '9999-12-31T23:59:59.999Z' };
    const seen = absorb(provisional, fileRead({ fields }));
    expect(seen.fields.updated_at).toBe(provisional.fields.updated_at);
    expect(seen.claims?.fields.updated_at).toBe(fields.updated_at);
  });

  it('hears of the end of the launch that lives', () => {
    expect(absorb(task, ended('worker-1')).worker).toEqual(endedAgent('worker'));
    const reviewed = buildTaskIn('agent-review');
    expect(absorb(reviewed, ended('review-1-1', 'reviewer'))).toEqual({
      ...reviewed,
      reviewer: endedAgent('review-1'),
    });
  });

  it('does not hear of the end of another launch, or of an end twice', () => {
    expect(absorb(task, ended('worker-0'))).toEqual(task);
    const counted = buildTaskIn('working', { worker: endedAgent('worker', { isNoted: true }) });
    expect(absorb(counted, ended('worker-1'))).toEqual(counted);
  });
});
