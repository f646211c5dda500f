import { describe, expect, it } from 'vitest';
import { describeTrouble } from '../../src/engine/describe-trouble.js';

const crash = {
  type: 'agent.crashed',
  status: 'working',
  crash_count: 2,
  reason: 'no ## Handoff',
  exit_status: 3,
};
const advanced = { type: 'auto.advanced', from: 'working', to: 'stuck', reason: 'no ## Handoff' };
const asked = { type: 'status.changed', from: 'working', to: 'stuck', by: 'agent' };

describe('why a task is stuck', () => {
  it.each([
    [
      'its agent crashed',
      [crash, advanced],
      'crashed 2 times, last with exit status 3: no ## Handoff',
    ],
    [
      'its agent was killed',
      [{ ...crash, exit_status: null, signal: 'SIGKILL' }, advanced],
      'crashed 2 times, last by SIGKILL: no ## Handoff',
    ],
    [
      'nobody saw its agent end',
      [{ ...crash, exit_status: null }, advanced],
      'crashed 2 times: no ## Handoff',
    ],
    [
      'its review failed',
      [{ ...advanced, verdict: 'FAIL', round: 2 }],
      'review round 2 ended with FAIL',
    ],
    [
      'its review failed after the reviewer had crashed',
      [crash, { ...advanced, verdict: 'FAIL', round: 2 }],
      'review round 2 ended with FAIL',
    ],
    [
      'its reviewer asked with a verdict',
      [{ ...asked, verdict: 'FAIL', round: 2 }],
      'review round 2 ended with FAIL',
    ],
    ['its agent asked for it', [asked], null],
    ['its agent asked for it right after a crash', [crash, asked], null],
  ])('because %s', (_, events, expected) => {
    expect(describeTrouble(events)).toBe(expected);
  });
});
