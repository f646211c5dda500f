import { describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

const { mean, median, quantile } = await loadScript<{
  mean: (numbers: readonly number[]) => number;
  median: (numbers: readonly number[]) => number;
  quantile: (numbers: readonly number[], share: number) => number;
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
