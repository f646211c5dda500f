import { describe, expect, it } from 'vitest';
import { age } from '../../src/tui/age.js';
import { columnsOf, clip, fit, oneLine, wrap, wrapAtMost } from '../../src/tui/display-text.js';

describe('text on a screen', () => {
  it.each([
    ['hello', 5, 'hello'],
    ['hello', 4, 'hel…'],
    ['hello', 1, '…'],
    ['hello', 0, ''],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['日本語', 6, '日本語'],
  ])('%s in %i columns is %s', (text, width, expected) => {
    expect(clip(text, width)).toBe(expected);
  });

  it('fills up to the width, counting wide characters twice', () => {
    expect(fit('日本', 6)).toBe('日本  ');
    expect(fit('日本語', 4)).toBe('日… ');
  });

  it.each([
    ['one two three', 7, ['one two', 'three']],
    ['abcdefgh', 3, ['abc', 'def', 'gh']],
    ['  indented text', 10, ['  indented', 'text']],
    ['', 5, ['']],
    ['a 日本語', 4, ['a', '日本', '語']],
  ])('wraps %j at %i', (text, width, expected) => {
    expect(wrap(text, width)).toEqual(expected);
  });

  it.each(['plain words and averyveryverylongone', 'wörter日本 e\u0301e\u0301 日本日本日本日本x'])(
    'never wraps %j to more than there is room for, and loses nothing',
    (text) => {
      for (let width = 2; width < 40; width += 1) {
        const lines = wrap(text, width);
        for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(width);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }
    },
  );

  it('shows that lines were cut', () => {
    expect(wrapAtMost('one two three four', 5, 2)).toEqual(['one', 'two …']);
  });

  it('is one clean line, whatever an agent wrote', () => {
    expect(oneLine(' a\n\tb\u001B[31mc\u202E ')).toBe('a bc');
  });

  it('is cut before it is cleaned, so that a huge text costs little', () => {
    expect(oneLine('x'.repeat(1_000_000)).length).toBeLessThan(10_000);
  });
});

describe('an age', () => {
  const now = Date.parse('2026-01-10T00:00:00Z');
  it.each([
    ['2026-01-09T23:59:48Z', '12s'],
    ['2026-01-09T23:55:00Z', '5m'],
    ['2026-01-09T21:00:00Z', '3h'],
    ['2026-01-08T00:00:00Z', '2d'],
    ['2026-01-11T00:00:00Z', '0s'],
    ['not a date', '–'],
    ['0001-01-01T00:00:00Z', '9999d'],
  ])('since %s is %s', (since, expected) => {
    expect(age(since, now)).toBe(expected);
  });
});
