import { describe, expect, it } from 'vitest';
import { dateReason } from '../../src/domain/date-reason.js';

const NOW = Date.parse('2026-01-02T12:00:00Z');
const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString();

describe('the times in a reason to wait', () => {
  it.each([
    [0.5, 'in a moment'],
    [-20, 'in a moment'],
    [40, 'in 40 s'],
    [100, 'in 1 min'],
    [7200, 'in 2 h'],
  ])('tell when an agent is started again: after %s s', (seconds, words) => {
    const reason = {
      code: 'restarting',
      message: 'it is started again',
      dueMs: NOW + seconds * 1000,
    };
    expect(dateReason(reason, NOW).message).toBe(`it is started again ${words}`);
  });

  it.each([
    [24, '24 s'],
    [300, '5 min'],
    [90_000, '1 d'],
  ])('tell how long a stalled agent is silent by now: %s s', (seconds, words) => {
    const reason = { code: 'stalled', message: 'no sign of life', since: at(-seconds) };
    expect(dateReason(reason, NOW).message).toBe(`no sign of life for ${words}`);
  });

  it('are added to no other reason', () => {
    const reason = { code: 'crashed', message: 'gone', since: at(-9) };
    expect(dateReason(reason, NOW)).toEqual(reason);
  });
});
