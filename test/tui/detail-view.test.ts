import { describe, expect, it } from 'vitest';
import { detailLines } from '../../src/tui/detail-view.js';
import { LIMITS, taskView } from './task-views.js';

function detail(task = taskView(), width = 80): string {
  return detailLines({ task, limits: LIMITS, width, height: 20 })
    .map((line) => line.map((part) => part.text).join(''))
    .join('\n');
}

describe('what is told about a task', () => {
  it('keeps each fact with its name, however narrow it is', () => {
    for (let width = 30; width <= 120; width += 1) {
      expect(detail(taskView(), width)).toContain('id abc0000000000000000001');
      expect(detail(taskView(), width)).toContain('reviewed by codex');
    }
  });

  it('tells a hold once', () => {
    const held = taskView({
      fields: { status: 'pending' },
      extensions: { hold: 'not spawned' },
      reasons: [{ code: 'held', message: 'held: not spawned' }],
    });
    expect(detail(held).match(/held: not spawned/gu)).toHaveLength(1);
  });

  it.each([
    [1, 'round 1/2'],
    [2, 'round 2/2'],
    [3, 'round 3 ·'],
  ])('shows round %i as %s', (review_round, shown) => {
    expect(detail(taskView({ fields: { review_round } }), 200)).toContain(shown);
  });
});
