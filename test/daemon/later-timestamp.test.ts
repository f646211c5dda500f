import { describe, expect, it } from 'vitest';
import { laterTimestamp } from '../../src/daemon/later-timestamp.js';

function moment(timestamp: string) {
  return { nowMs: Date.parse(timestamp), monotonicMs: 0, timestamp };
}

describe('the timestamp of a write', () => {
  const now = moment('2026-01-02T10:00:00.000Z');

  it('is now', () => {
    expect(laterTimestamp('2026-01-01T10:00:00.000Z', now)).toBe('2026-01-02T10:00:00.000Z');
  });

  it('is a moment after the last one when the clock stood still', () => {
    expect(laterTimestamp(now.timestamp, now)).toBe('2026-01-02T10:00:00.001Z');
  });

  it('is a moment after the last one when the clock was set back', () => {
    expect(laterTimestamp('2026-01-02T11:00:00.000Z', now)).toBe('2026-01-02T11:00:00.001Z');
  });

  it('is later than one that is written without milliseconds', () => {
    expect(laterTimestamp('2026-01-02T10:00:00Z', now)).toBe('2026-01-02T10:00:00.001Z');
    const half = moment('2026-01-02T10:00:00.500Z');
    expect(laterTimestamp('2026-01-02T10:00:00Z', half)).toBe(half.timestamp);
  });

  it('is later than one with an offset', () => {
    expect(laterTimestamp('2026-01-02T13:00:00+02:00', now)).toBe('2026-01-02T11:00:00.001Z');
    expect(laterTimestamp('2026-01-02T09:00:00-05:00', now)).toBe('2026-01-02T14:00:00.001Z');
  });

  it.each(['9999-12-31T23:59:59.999Z', '+010000-01-01T00:00:00.001Z'])(
    'F34 is now when there is none after %s that a file can have',
    (last) => expect(laterTimestamp(last, now)).toBe(now.timestamp),
  );

  it('F34 has four digits for the year whatever the clock says', () => {
    const beyond = moment('+010000-01-01T00:00:00.000Z');
    expect(laterTimestamp(now.timestamp, beyond)).toBe('9999-12-31T23:59:59.999Z');
  });

  it('is now when the last one is none', () => {
    expect(laterTimestamp('yesterday', now)).toBe(now.timestamp);
  });
});
