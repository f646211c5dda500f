import { expect, it } from 'vitest';
import {
  createRepositoryQueue,
  createWideQueue,
} from '../../../src/adapters/git/repository-queue.js';

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

it('a wide queue runs as many steps of a key as it is wide, in order, past one that throws', async () => {
  const queue = createWideQueue(2);
  const begun: string[] = [];
  let running = 0;
  let most = 0;
  const step = (name: string) => async () => {
    begun.push(name);
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    if (name === 'a') throw new Error('a');
    return name;
  };
  const names = ['a', 'b', 'c', 'd', 'e'];
  const outcomes = await Promise.allSettled(names.map((name) => queue.run('k', step(name))));
  expect(outcomes[0]?.status).toBe('rejected');
  expect(outcomes.slice(1)).toEqual(
    names.slice(1).map((value) => ({ status: 'fulfilled', value })),
  );
  expect(begun).toEqual(names);
  expect(most).toBe(2);
  expect(await queue.run('k', step('f'))).toBe('f');
});
