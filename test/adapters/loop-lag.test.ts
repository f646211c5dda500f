import { expect, it } from 'vitest';
import { watchLoopLag } from '../../src/adapters/loop-lag.js';

const SPAN_MS = 60_000;

async function nextTimers(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 500));
}

function block(ms: number): void {
  const start = performance.now();
  while (performance.now() - start < ms);
}

it('F76 tells how long something else kept the loop busy, since it was last asked', async () => {
  let now = 0;
  const read = watchLoopLag(() => now);
  await nextTimers();
  block(600);
  await nextTimers();
  now += SPAN_MS;
  expect(read().max).toBeGreaterThan(300);
  await nextTimers();
  now += SPAN_MS;
  read();
  expect(read().max).toBe(0);
});
