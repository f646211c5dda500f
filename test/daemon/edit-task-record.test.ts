import { describe, expect, it } from 'vitest';
import type { TaskState } from '../../src/domain/world.js';
import { editTaskRecord, knownAfterWrite } from '../../src/daemon/edit-task-record.js';
import { updateTask } from '../../src/engine/update-task.js';
import { buildTaskIn } from '../builders/task.js';

const UPDATED = '2030-01-01T00:00:00.000Z';

function recordOf(task: TaskState, fields: Partial<TaskState['fields']>, body = '') {
  return { fields: { ...task.fields, ...fields }, extensions: { note: 'kept' }, body };
}

describe('a write beside an edit that has not been judged', () => {
  const task = buildTaskIn('working');
  const change = updateTask(task, { fields: { crash_count: 1 } });

  it('changes only its own fields, so the edit stays a claim', () => {
    const current = recordOf(task, { status: 'done' });
    const edits = editTaskRecord({ task, change, updatedAt: UPDATED }, current);
    expect(edits.fields).toEqual({ crash_count: 1, updated_at: UPDATED });
    const written = recordOf(task, { status: 'done', crash_count: 1, updated_at: UPDATED });
    const known = knownAfterWrite(task, change, written);
    expect(known.fields).toMatchObject({ status: 'working', crash_count: 1, updated_at: UPDATED });
    expect(known.extensions).toEqual(task.extensions);
  });

  it('puts every field of an old copy right', () => {
    const old = recordOf(task, { status: 'planning', updated_at: '1999-01-01T00:00:00.000Z' });
    const { fields } = editTaskRecord({ task, change, updatedAt: UPDATED }, old);
    expect(fields).toMatchObject({ ...task.fields, crash_count: 1, updated_at: UPDATED });
  });

  it.each([
    ['stays asked for', 'working', 'clarification'],
    ['is put right where the task has moved since', 'stuck', 'working'],
  ] as const)('F34 of an old copy its writer has changed %s', (_, since, status) => {
    const then = { ...task.fields, summary: 'Before', updated_at: '1999-01-01T00:00:00.000Z' };
    const ownWrites = [
      { fields: then, extensions: {}, status: then.status },
      {
        fields: { ...then, updated_at: '1999-01-02T00:00:00.000Z' },
        extensions: {},
        status: since,
      },
    ];
    const old = recordOf(task, { ...then, status: 'clarification' });
    const known = { ...task, ownWrites };
    const { fields } = editTaskRecord({ task: known, change, updatedAt: UPDATED }, old);
    expect(fields).toMatchObject({ summary: task.fields.summary, crash_count: 1 });
    expect(fields?.status ?? old.fields.status).toBe(status);
  });

  it('F34 keeps what it takes out under the name it tells, also where it was taken out before', () => {
    const current = recordOf(task, {}, 'Theirs.\n## Plan\n\nAPPROACH: theirs\n');
    const sections = [{ kind: 'move-out', section: 'Plan', transcript: 'of-other.md' }] as const;
    const edits = editTaskRecord(
      {
        task,
        change: updateTask(task, { sections }),
        updatedAt: UPDATED,
        own: { body: 'Theirs.\n', conflicts: [] },
      },
      current,
    );
    expect(edits.body).toBe('Theirs.\n');
    expect(edits.transcripts).toEqual([
      { name: 'of-other.md', text: '## Plan\n\nAPPROACH: theirs\n' },
    ]);
  });

  it('lets no old copy bring back the verdict of an earlier round', () => {
    const reviewed = buildTaskIn('agent-review', { fields: { review_round: 2 } });
    const old = recordOf(reviewed, { review_round: 1 }, '\n## Review\n\nVerdict: PASS\n');
    const { body } = editTaskRecord({ task: reviewed, change, updatedAt: UPDATED }, old);
    expect(body).not.toContain('Verdict');
  });
});

it('a status that an agent asked for before its start was recorded stays asked for', () => {
  const task = buildTaskIn('pending');
  const change = updateTask(task, { fields: { status: 'planning' } });
  const current = recordOf(task, { status: 'clarification' });
  const { fields } = editTaskRecord({ task, change, updatedAt: UPDATED }, current);
  expect(fields).toEqual({ status: 'clarification', updated_at: UPDATED });
  const written = recordOf(task, { status: 'clarification', updated_at: UPDATED });
  expect(knownAfterWrite(task, change, written).fields.status).toBe('planning');
  const old = recordOf(task, { status: 'working', updated_at: '1999-01-01T00:00:00.000Z' });
  const again = editTaskRecord({ task, change, updatedAt: UPDATED }, old);
  expect(again.fields?.status).toBe('planning');
});
