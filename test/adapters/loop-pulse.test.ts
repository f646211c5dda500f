import { expect, it } from 'vitest';
import { startLoopPulse } from '../../src/adapters/loop-pulse.js';

const SPAN_MS = 60_000;

async function nextBeats(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1200));
}

function block(ms: number): void {
  const start = performance.now();
  while (performance.now() - start < ms);
}

it('F76 tells how long something else kept the loop busy, since it was last asked', async () => {
  let now = 0;
  const pulse = startLoopPulse(() => now);
  await nextBeats();
  block(900);
  await nextBeats();
  now += SPAN_MS;
  expect(pulse.lag().max).toBeGreaterThan(300);
  await nextBeats();
  now += SPAN_MS;
  pulse.lag();
  expect(pulse.lag().max).toBe(0);
});

it('F76 counts beats while the loop turns, and none while it is blocked', async () => {
  const { beats } = startLoopPulse(() => 0);
  await nextBeats();
  expect(Atomics.load(beats, 0)).toBeGreaterThan(0);
  const before = Atomics.load(beats, 0);
  block(1200);
  expect(Atomics.load(beats, 0)).toBe(before);
});
