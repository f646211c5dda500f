import { describe, expect, it } from 'vitest';
import { EffectQueue } from '../../src/daemon/effect-queue.js';

function gate(): { readonly opened: Promise<void>; open(): void } {
  const listeners: (() => void)[] = [];
  const opened = new Promise<void>((resolve) => void listeners.push(resolve));
  return { opened, open: () => listeners.forEach((resolve) => resolve()) };
}

describe('the effect queue', () => {
  it('runs jobs of one task one after another', async () => {
    const queue = new EffectQueue();
    const first = gate();
    const seen: string[] = [];
    queue.add('a', async () => {
      await first.opened;
      seen.push('first');
    });
    queue.add('a', async () => void seen.push('second'));
    expect(seen).toEqual([]);
    first.open();
    await queue.drained();
    expect(seen).toEqual(['first', 'second']);
  });

  it('lets no task wait for another', async () => {
    const queue = new EffectQueue();
    const stuck = gate();
    const other = gate();
    queue.add('a', async () => stuck.opened);
    queue.add('b', async () => other.open());
    await other.opened;
    expect(queue.size).toBeGreaterThan(0);
    stuck.open();
    await queue.drained();
  });

  it('is empty when everything has run', async () => {
    const queue = new EffectQueue();
    queue.add('a', async () => undefined);
    expect(queue.size).toBe(1);
    await queue.drained();
    await Promise.resolve();
    expect(queue.size).toBe(0);
  });
});
