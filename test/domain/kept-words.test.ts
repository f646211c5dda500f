import { expect, it } from 'vitest';
import { isKeptWords, keptWordsName } from '../../src/domain/kept-words.js';

it('words that are kept at different moments have different names, known as such', () => {
  const names = ['2026-01-01T10:00:00.000Z', '2026-01-01T10:00:00.001Z'].map((at) =>
    keptWordsName('context-refused', at),
  );
  expect(names).toEqual([
    'context-refused-20260101100000000.md',
    'context-refused-20260101100000001.md',
  ]);
  expect(names.every(isKeptWords)).toBe(true);
});

it.each(['review-1.md', 'notes.md', 'worker-1.txt', 'late-edit-.md'])(
  'a transcript called %s is none of them',
  (name) => {
    expect(isKeptWords(name)).toBe(false);
  },
);
