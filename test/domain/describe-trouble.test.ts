import { expect, it } from 'vitest';
import { describeTrouble } from '../../src/domain/describe-trouble.js';

it('a task is stuck because of its last crash', () => {
  const move = { type: 'auto.advanced', to: 'stuck' };
  const crash = { type: 'agent.crashed', crash_count: 2, reason: 'no ## Plan', exit_status: 3 };
  expect(describeTrouble([crash, move])).toBe(
    'crashed 2 times, last with exit status 3: no ## Plan',
  );
  expect(describeTrouble([{ ...crash, signal: 'SIGKILL' }, move])).toContain('last by SIGKILL');
});

it('a task is stuck because its last review failed', () => {
  const move = { type: 'auto.advanced', to: 'stuck', verdict: 'FAIL', round: 2 };
  expect(describeTrouble([move])).toBe('review round 2 ended with FAIL');
});

it('a task that somebody moved to stuck has no such reason', () => {
  expect(describeTrouble([{ type: 'status.changed', to: 'stuck', by: 'human' }])).toBeNull();
});
