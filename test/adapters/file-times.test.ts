import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { stampOf } from '../../src/adapters/disk-steps.js';

describe('the time of a file', () => {
  it.each([
    ['far ahead', 1e18, '9999-12-31T23:59:59.999Z'],
    ['far back', -1e18, '1970-01-01T00:00:00.000Z'],
  ])('that its owner put %s of all dates is brought into their reach', (_, mtimeMs, shown) => {
    const stats = Object.assign(statSync(tmpdir()), { mtimeMs });
    expect(new Date(stampOf(stats).mtimeMs).toISOString()).toBe(shown);
  });

  it('is else what it is', () => {
    const stats = statSync(tmpdir());
    expect(stampOf(stats).mtimeMs).toBe(stats.mtimeMs);
  });
});
