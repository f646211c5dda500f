import { describe, expect, it } from 'vitest';
import { choosePager, exceedsScreen } from '../../src/cli/choose-pager.js';

describe('the pager', () => {
  it('is the one that git would take, and less without one', () => {
    expect(choosePager({ GIT_PAGER: 'one -x', PAGER: 'two' })).toMatchObject({
      program: '/bin/sh',
      argv: ['-c', 'one -x'],
    });
    expect(choosePager({ PAGER: 'two', HOME: undefined })).toEqual({
      program: '/bin/sh',
      argv: ['-c', 'two'],
      env: { PAGER: 'two', LESS: 'FRX', LV: '-c' },
    });
    expect(choosePager({ LESS: 'i' })).toEqual({
      program: 'less',
      argv: [],
      env: { LESS: 'i', LV: '-c' },
    });
  });

  it.each([
    { GIT_PAGER: '', PAGER: 'two' },
    { PAGER: 'cat' },
    { TERM: 'dumb' },
    { ORANGE_ROLE: 'worker', PAGER: 'two' },
  ])('is none for %j', (env) => {
    expect(choosePager(env)).toBeNull();
  });
});

describe('a text is longer than the screen', () => {
  const screen = { rows: 5, columns: 10 };
  it.each([
    ['a\nb\nc\nd', false],
    ['a\nb\nc\nd\ne', true],
    [`${'x'.repeat(30)}\nb`, false],
    [`${'x'.repeat(31)}\nb`, true],
    [`\u001b[31m${'x'.repeat(30)}\u001b[0m\nb`, false],
  ])('%j: %s', (text, isLonger) => {
    expect(exceedsScreen(text, screen)).toBe(isLonger);
  });

  it('also on one that nobody sized', () => {
    expect(exceedsScreen('x\n'.repeat(22), { rows: 0, columns: 0 })).toBe(false);
    expect(exceedsScreen('x\n'.repeat(24), { rows: 0, columns: 0 })).toBe(true);
  });
});
