import { describe, expect, it } from 'vitest';
import { creationEvent } from '../../src/engine/create-task.js';
import { fieldsFromHistory } from '../../src/record/fields-from-history.js';
import { buildFields, TASK_ID } from '../builders/task.js';

const PLACE = { project: 'shop', id: TASK_ID };
const AT = '2026-01-01T09:00:00.000Z';

describe('a task as its history alone tells it', () => {
  it('F33 has every field that it was made with', () => {
    const fields = buildFields({ harness: 'codex', review_harness: 'opencode' });
    const created = { ...creationEvent(fields), timestamp: AT };
    expect(fieldsFromHistory(PLACE, [created])).toEqual(fields);
  });

  it('F33 has what was changed since', () => {
    const created = { ...creationEvent(buildFields()), timestamp: AT };
    const updated = { type: 'task.updated', timestamp: AT };
    const told = [
      created,
      { ...updated, fields: ['harness', 'summary'], harness: 'codex', summary: 'Other words' },
      { ...updated, fields: ['branch'], branch: 'other' },
      { ...updated, fields: ['tags'] },
      { type: 'pr.opened', timestamp: AT, url: 'https://github.com/a/b/pull/1' },
    ];
    expect(fieldsFromHistory(PLACE, told)).toMatchObject({
      harness: 'codex',
      summary: 'Other words',
      branch: 'other',
      pr_url: 'https://github.com/a/b/pull/1',
    });
  });

  it('F33 has fields that hold where an older version has told less', () => {
    const created = { type: 'task.created', timestamp: AT, task_id: TASK_ID, project: 'shop' };
    expect(fieldsFromHistory(PLACE, [created])).toMatchObject({
      branch: `orange-tasks/${TASK_ID}`,
      harness: 'claude',
      review_harness: 'claude',
    });
  });
});
