import { expect, it } from 'vitest';
import { planNotices } from '../../src/daemon/plan-notices.js';

const NOW = 100_000;

it.each([
  { due: 0, told: [], plan: { kind: 'nothing' } },
  { due: 1, told: [], plan: { kind: 'each' } },
  { due: 3, told: [], plan: { kind: 'each' } },
  { due: 4, told: [], plan: { kind: 'together' } },
  { due: 300, told: [], plan: { kind: 'together' } },
  { due: 1, told: [90_000, 95_000], plan: { kind: 'each' } },
  { due: 2, told: [90_000, 95_000], plan: { kind: 'together' } },
  { due: 1, told: [80_000, 90_000, 95_000], plan: { kind: 'wait', untilMs: 140_000 } },
  { due: 1, told: [10_000, 20_000, 30_000], plan: { kind: 'each' } },
])('$due due after $told are planned as $plan.kind', ({ due, told, plan }) => {
  expect(planNotices(due, told, NOW)).toEqual(plan);
});
