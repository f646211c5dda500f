import { describe, expect, it } from 'vitest';
import type { Extensions, TaskFields, TaskRecord } from '../../src/domain/task.js';
import { mergeCopy, saysMore } from '../../src/record/merge-copy.js';
import { buildFields } from '../builders/task.js';

const BASE = '\n## Context\n\nWhy.\n\n## Notes\n\none\n';
const HANDOFF = '\n## Handoff\n\nDONE: All of it.\n';

function record(
  body = BASE,
  fields: Partial<TaskFields> = {},
  extensions: Extensions = {},
): TaskRecord {
  return { fields: buildFields(fields), extensions, body };
}

describe('a copy and the file it was made from', () => {
  it.each<[string, TaskRecord]>([
    ['are as they were', record()],
    ['were written by orange alone', record(BASE, { status: 'working', updated_at: 'later' })],
    ['say the same', record(BASE, { summary: 'Mine' })],
  ])('leave nothing to merge when all others %s', (_, current) => {
    const copy = record('\n## Context\n\nWhy not.\n', { summary: 'Mine' });
    const known = record(BASE, { status: current.fields.status });
    expect(mergeCopy(record(), { copy, current, known })).toBeNull();
  });

  it('come together with what the copy leaves out and what the file has beyond', () => {
    const copy = record('\n## Context\n\nWhy not.\n', { status: 'planning' });
    const current = record(BASE + HANDOFF, { summary: 'Theirs' }, { priority: 'high' });
    const merged = mergeCopy(record(), { copy, current, known: record() });
    expect(merged?.edits).toEqual({
      fields: { status: 'planning' },
      extensions: {},
      body: `\n## Context\n\nWhy not.\n${HANDOFF}`,
    });
    expect(merged?.conflicts).toEqual([]);
  });

  it.each<[string, TaskRecord, TaskRecord, string]>([
    [
      'a part',
      record(BASE.replace('one', 'mine')),
      record(BASE.replace('one', 'theirs')),
      '## Notes\n\ntheirs\n',
    ],
    [
      'a part that the copy leaves out',
      record('\n## Context\n\nWhy.\n'),
      record(BASE.replace('one', 'theirs')),
      '## Notes\n\ntheirs\n',
    ],
    [
      'a field',
      record(BASE, { summary: 'Mine' }),
      record(BASE, { summary: 'Theirs' }),
      'summary: "Mine"',
    ],
    [
      'a value',
      record(BASE, {}, { priority: 'low' }),
      record(BASE, {}, { priority: 'high' }),
      'priority: "low"',
    ],
  ])('hand back what goes not in when both changed %s', (_, copy, current, text) => {
    const merged = mergeCopy(record(), { copy, current, known: record() });
    expect(merged?.conflicts).toMatchObject([{ text }]);
  });
});

describe('whether a file says more than a copy of it shows one', () => {
  const known = record(BASE, { status: 'working', updated_at: '2026-02-01T00:00:00Z' });
  it.each<[string, TaskRecord, boolean]>([
    ['that has a part beyond', record(BASE + HANDOFF), true],
    ['that has a line less', record(BASE.replace('one\n', '')), false],
    ['that has another value', record(BASE, {}, { priority: 'high' }), true],
    ['that orange has written since', known, false],
    [
      'that orange and another hand have written since',
      { ...known, fields: { ...known.fields, summary: 'Theirs' } },
      true,
    ],
  ])('%s', (_, current, answer) => {
    expect(saysMore({ copy: record(), current, known })).toBe(answer);
  });
});
