import { expect, it } from 'vitest';
import { actionFor, assessRisk } from '../../src/domain/finalization.js';

it.each([
  [{ files: 1, lines: 0, conflicts: 0 }, 'Low', 'auto-merge'],
  [{ files: 5, lines: 99, conflicts: 0 }, 'Low', 'auto-merge'],
  [{ files: 6, lines: 0, conflicts: 0 }, 'Medium', 'review-then-merge'],
  [{ files: 1, lines: 100, conflicts: 0 }, 'Medium', 'review-then-merge'],
  [{ files: 15, lines: 500, conflicts: 0 }, 'Medium', 'review-then-merge'],
  [{ files: 16, lines: 0, conflicts: 0 }, 'High', 'careful-review'],
  [{ files: 1, lines: 501, conflicts: 0 }, 'High', 'careful-review'],
  [{ files: 30, lines: 1000, conflicts: 0 }, 'High', 'careful-review'],
  [{ files: 31, lines: 0, conflicts: 0 }, 'Critical', 'senior-review'],
  [{ files: 1, lines: 1001, conflicts: 0 }, 'Critical', 'senior-review'],
  [{ files: 1, lines: 1, conflicts: 3 }, 'Low', 'auto-merge'],
  [{ files: 1, lines: 1, conflicts: 4 }, 'Medium', 'review-then-merge'],
  [{ files: 1, lines: 1, conflicts: 11 }, 'High', 'careful-review'],
])('ORC-111 ORC-112 ORC-113 ORC-114 %j is of risk %s', (change, risk, action) => {
  const { overall } = assessRisk(change);
  expect(overall).toBe(risk);
  expect(actionFor(overall)).toBe(action);
});

it('ORC-115 the overall risk is that of the worst factor', () => {
  expect(assessRisk({ files: 12, lines: 350, conflicts: 2 })).toEqual({
    files: 'Medium',
    lines: 'Medium',
    conflicts: 'Low',
    overall: 'Medium',
  });
});
