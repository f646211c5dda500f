import { describe, expect, it } from 'vitest';
import { touchingPaths } from '../../src/record/touching-paths.js';

describe('TOUCHING', () => {
  it.each([
    ['src/a.ts, src/b.ts', ['src/a.ts', 'src/b.ts']],
    ['./src/a.ts', ['src/a.ts']],
    ['.', ['.']],
    ['src/{a,b}.ts, c.ts', ['src/{a,b}.ts', 'c.ts']],
    ['a, b } c', ['a', 'b } c']],
    [
      '- src/a.ts (new)\n- src/b.ts: the form\n- src/c.ts — tests',
      ['src/a.ts', 'src/b.ts', 'src/c.ts'],
    ],
    ['`src/a.ts` and `src/b.ts` for the form', ['src/a.ts', 'src/b.ts']],
    ['auth area, my file.txt', ['auth area', 'my file.txt']],
    ['src/a.ts (new\u2028and shiny)', ['src/a.ts']],
    ['', []],
  ])('of %j names %j', (field, names) => {
    expect(touchingPaths(field)).toEqual(names);
  });

  it('is read in a moment, whatever somebody has written', () => {
    expect(touchingPaths(`${','.repeat(200_000)}a`)).toEqual([]);
    expect(touchingPaths(' '.repeat(200_000))).toEqual([]);
    expect(touchingPaths(`{${'a,'.repeat(100_000)}`)).toEqual([]);
  });
});
