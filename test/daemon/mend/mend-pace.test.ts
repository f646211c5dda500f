import { describe, expect, it } from 'vitest';
import { MendPace } from '../../../src/daemon/mend/mend-pace.js';

describe('when to look around', () => {
  it('looks at each reconcile while tasks change', () => {
    const pace = new MendPace();
    expect([1, 2, 3, 4].map((changes) => pace.isDue(changes))).toEqual([true, true, true, true]);
  });

  it('looks ever more rarely while nothing changes, but goes on for ever', () => {
    const pace = new MendPace();
    const due = Array.from({ length: 60 }, (_, round) => (pace.isDue(7) ? round : null));
    expect(due.filter((round) => round !== null)).toEqual([0, 4, 12, 24, 36, 48]);
  });

  it('begins anew as soon as something changes', () => {
    const pace = new MendPace();
    for (let round = 0; round < 20; round += 1) pace.isDue(7);
    const due = [8, 8, 8, 8, 8].map((changes) => pace.isDue(changes));
    expect(due).toEqual([true, false, false, false, true]);
  });
});
