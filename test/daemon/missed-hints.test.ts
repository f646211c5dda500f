import { describe, expect, it } from 'vitest';
import { MissedHints } from '../../src/daemon/missed-hints.js';

describe('missed hints', () => {
  it('are changes that nothing told of, neither shortly before nor after', () => {
    const missed = new MissedHints();
    missed.noteFound('lost', 10_000);
    missed.noteHint('before', 9600);
    missed.noteFound('before', 10_000);
    missed.noteFound('after', 10_000);
    missed.noteHint('after', 10_500);
    expect(missed.takeMissed(11_000)).toEqual([]);
    expect(missed.takeMissed(13_000)).toEqual(['lost']);
    expect(missed.takeMissed(14_000)).toEqual([]);
  });

  it('are not undone by what orange writes itself once it has waited for the hint', () => {
    const missed = new MissedHints();
    expect(missed.noteFound('lost', 10_000)).toBe(true);
    expect(missed.noteFound('lost', 10_400)).toBe(true);
    expect(missed.noteFound('lost', 10_600)).toBe(false);
    missed.noteHint('lost', 10_600);
    expect(missed.takeMissed(13_000)).toEqual(['lost']);
    missed.noteHint('hinted', 10_000);
    expect(missed.noteFound('hinted', 10_100)).toBe(false);
  });

  it('let hints be distrusted for a minute', () => {
    const missed = new MissedHints();
    expect(missed.isDistrusted(0)).toBe(false);
    missed.noteFound('lost', 0);
    missed.takeMissed(3000);
    expect(missed.isDistrusted(62_000)).toBe(true);
    expect(missed.isDistrusted(64_000)).toBe(false);
  });

  it('are none of a task that is over', () => {
    const missed = new MissedHints();
    missed.noteFound('over', 0);
    missed.forget('over');
    expect(missed.takeMissed(3000)).toEqual([]);
  });
});
