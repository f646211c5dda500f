import { expect, it } from 'vitest';
import { createRepositoryQueue } from '../../../src/adapters/git/repository-queue.js';

it('steps with one key run one after the other, in order, past one that throws', async () => {
  const queue = createRepositoryQueue();
  const seen: string[] = [];
  const step = (name: string) => async () => {
    seen.push(`${name} begins`);
    await Promise.resolve();
    seen.push(`${name} ends`);
    if (name === 'b') throw new Error('b');
  };
  const steps = [queue.run('k', step('a')), queue.run('k', step('b')), queue.run('k', step('c'))];
  const outcomes = await Promise.allSettled(steps);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

it('steps with different keys run side by side', async () => {
  const queue = createRepositoryQueue();
  let open: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const first = queue.run('a', () => gate);
  await queue.run('b', async () => open?.());
  await first;
  expect(true).toBe(true);
});
