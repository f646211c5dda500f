import { expect, it } from 'vitest';
import { AgentAllowance, REQUESTS_PER_HOUR } from '../../src/daemon/agent-allowance.js';
import { manualClock } from './daemon-home.js';

it('I9 bounds what agents may ask about a task in an hour, and about that task alone', () => {
  const clock = manualClock();
  const allowance = new AgentAllowance(clock);
  const takeAll = (): number => {
    let taken = 0;
    while (allowance.take('one')) taken += 1;
    return taken;
  };
  expect(takeAll()).toBe(REQUESTS_PER_HOUR);
  expect(allowance.take('two')).toBe(true);
  clock.advance(360_000);
  expect(takeAll()).toBe(REQUESTS_PER_HOUR / 10);
  clock.advance(24 * 3_600_000);
  expect(takeAll()).toBe(REQUESTS_PER_HOUR);
});
