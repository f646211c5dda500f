import { describe, expect, it } from 'vitest';
import type { TaskView } from '../../src/domain/task-view.js';
import { detailLines } from '../../src/tui/detail-view.js';
import { LIMITS, NOW, taskView, waitingTask } from './task-views.js';

function detail(task = taskView(), width = 80, others: readonly TaskView[] = []): string {
  return detailLines({ task, others, limits: LIMITS, width, height: 20, nowMs: NOW })
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

  it('says where no agent reviews it, unless one has', () => {
    const missing = { reviewer_missing: true } as const;
    const told = detail({ ...taskView({ fields: { review_round: 0 } }), ...missing });
    expect(told).toContain('no agent review: codex is not installed');
    expect(told).not.toContain('reviewed by');
    const before = detail({ ...taskView({ fields: { review_round: 1 } }), ...missing });
    expect(before).toContain('reviewed by codex');
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

  it('names the tasks that it waits for, and the command where no key helps', () => {
    const login = taskView({ fields: { id: 'id-login', branch: 'login', status: 'cancelled' } });
    const reason = {
      code: 'dead-end',
      message: 'blocked by id-login, which was cancelled',
      settle: 'orange task unblock shop/search id-login',
    };
    const task = waitingTask('search', [reason], { blocked_by: ['id-login'] });
    const told = detail(task, 100, [login]);
    expect(told).toContain('! blocked by shop/login, which was cancelled');
    expect(told).toContain('  orange task unblock shop/search id-login');
    expect(told.match(/blocked by/gu)).toHaveLength(1);
  });

  it('says by which command a hold is lifted, though it waits for nobody', () => {
    const held = waitingTask('search', [{ code: 'held', message: 'held: later' }], {
      hold: 'later',
    });
    expect(detail(held)).toContain('! held: later\n  orange task release shop/search');
  });

  it('tells how the pull request stands, with its address', () => {
    const url = 'https://github.com/acme/shop/pull/7';
    const open = taskView({
      fields: { pr_url: url },
      extensions: { pr_state: 'open', pr_checks: 'failing' },
    });
    expect(detail(open)).toContain(`pull request open, checks failing · ${url}`);
    expect(detail(taskView({ fields: { pr_url: url } }))).toContain(`pull request · ${url}`);
  });
});
