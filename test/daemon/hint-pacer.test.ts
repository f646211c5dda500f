import { describe, expect, it } from 'vitest';
import { HintPacer } from '../../src/daemon/hint-pacer.js';

describe('pacing', () => {
  it('follows a single hint at once, and the next one after a calm too', () => {
    const pacer = new HintPacer();
    expect(pacer.waitMs('a', 0)).toBe(0);
    expect(pacer.waitMs('a', 1000)).toBe(0);
  });

  it('follows the hints that a file is made and written at once, and lets a fourth wait', () => {
    const pacer = new HintPacer();
    expect([0, 0, 1, 4].map((ms) => pacer.waitMs('a', ms))).toEqual([0, 0, 0, 5]);
    expect([1000, 1000, 1001, 1004].map((ms) => pacer.waitMs('a', ms))).toEqual([0, 0, 0, 5]);
  });

  it('paces each task by itself', () => {
    const pacer = new HintPacer();
    for (let look = 0; look < 3; look += 1) pacer.waitMs('a', 0);
    expect(pacer.waitMs('b', 1)).toBe(0);
    expect(pacer.waitMs('a', 1)).toBeGreaterThan(0);
  });

  it('F38 looks a few times a second at a file that is rewritten 1,000 times a second', () => {
    const pacer = new HintPacer();
    const looks = Array.from({ length: 10_000 }, (_, ms) => pacer.waitMs('a', ms)).filter(
      (wait) => wait === 0,
    );
    expect(looks.length).toBeLessThan(50);
    expect(looks.length).toBeGreaterThan(30);
  });

  it('forgets a task that is over', () => {
    const pacer = new HintPacer();
    for (let look = 0; look < 3; look += 1) pacer.waitMs('a', 0);
    pacer.forget('a');
    expect(pacer.waitMs('a', 1)).toBe(0);
  });
});
