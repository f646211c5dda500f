import { describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

const { mean, median, quantile, robustSlope } = await loadScript<{
  mean: (numbers: readonly number[]) => number;
  median: (numbers: readonly number[]) => number;
  quantile: (numbers: readonly number[], share: number) => number;
  robustSlope: (points: readonly (readonly [number, number])[], most?: number) => number;
}>('statistics');

describe('quantiles', () => {
  it('lie between the two nearest numbers', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(quantile([10, 20, 30, 40, 50], 0.99)).toBeCloseTo(49.6);
    expect(quantile([7], 0.99)).toBe(7);
    expect(mean([1, 2, 6])).toBe(3);
  });
});

describe('the slope of what was measured', () => {
  it('is that of the line the points lie on', () => {
    expect(
      robustSlope([
        [0, 1],
        [1, 3],
        [2, 5],
        [3, 7],
      ]),
    ).toBe(2);
  });

  it('is not bent by a few points far off', () => {
    const points = Array.from({ length: 50 }, (_, x) => [x, x % 10 === 3 ? 1e6 : 5] as const);
    expect(robustSlope(points)).toBe(0);
  });

  it('takes no more points than it is told, from the whole length', () => {
    const points = Array.from({ length: 10_000 }, (_, x) => [x, 3 * x] as const);
    expect(robustSlope(points, 50)).toBeCloseTo(3);
  });

  it('of too few points is none', () => {
    expect(robustSlope([[1, 1]])).toBe(0);
  });
});
