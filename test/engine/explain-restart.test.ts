import { describe, expect, it } from 'vitest';
import type { AgentExit } from '../../src/domain/session.js';
import { explainRestart } from '../../src/engine/explain-restart.js';
import { momentAt } from '../builders/world.js';
import { buildTaskIn, endedAgent, type TaskParts } from '../builders/task.js';

const EXIT: AgentExit = { status: 7, signal: null, hasScreen: false };

function explain(exit: Partial<AgentExit>, parts: TaskParts = {}): string {
  const worker = endedAgent('worker', { exit: { ...EXIT, ...exit }, isNoted: true });
  const [reason] = explainRestart(buildTaskIn('working', { worker, ...parts }), momentAt());
  return reason === undefined ? '' : `${reason.code}: ${reason.message}`;
}

describe('why a task in work has no agent', () => {
  it.each<[Partial<AgentExit>, TaskParts, string]>([
    [{}, {}, 'crashed: the agent ended with exit status 7'],
    [
      { signal: 'SIGKILL' },
      { respawnAtMs: 9 },
      'restarting: the agent was ended by SIGKILL; it is started again',
    ],
    [{ status: null }, {}, 'crashed: the agent is gone'],
    [{ interruptedBy: 'server' }, {}, 'interrupted: the tmux server died and took the agent along'],
    [
      { interruptedBy: 'window' },
      {},
      'interrupted: the agent had lost its window, so orange ended it',
    ],
    [
      { interruptedBy: 'reboot' },
      { respawnAtMs: 9 },
      'restarting: the machine was restarted while the agent was at work; it is started again',
    ],
    [
      { interruptedBy: 'server' },
      { respawnAtMs: 9, awaitsTurn: true },
      'awaits-turn: waits its turn to be started again: one agent after the other, ten a minute at most',
    ],
  ])('%j, %j', (exit, parts, expected) => {
    expect(explain(exit, parts)).toBe(expected);
  });

  it('says when it is started again, where it waits for that', () => {
    const worker = endedAgent('worker', { exit: EXIT, isNoted: true });
    const moment = momentAt(5000);
    const task = buildTaskIn('working', { worker, respawnAtMs: moment.monotonicMs + 100_000 });
    expect(explainRestart(task, moment)).toMatchObject([{ dueMs: moment.nowMs + 100_000 }]);
  });

  it.each([undefined, 'server', 'reboot'] as const)(
    'says since when it is gone, not since when the task has its status: %s',
    (interruptedBy) => {
      const by = interruptedBy === undefined ? {} : { interruptedBy };
      const exit = { ...EXIT, ...by, endedAt: '2026-01-31T10:00:00Z' };
      const worker = endedAgent('worker', { exit, isNoted: true });
      expect(explainRestart(buildTaskIn('working', { worker }), momentAt())).toMatchObject([
        { since: '2026-01-31T10:00:00Z' },
      ]);
    },
  );

  it('is nothing to explain while it lives, or before its end was judged', () => {
    expect(explainRestart(buildTaskIn('working'), momentAt())).toEqual([]);
    expect(
      explainRestart(buildTaskIn('working', { worker: endedAgent('worker') }), momentAt()),
    ).toEqual([]);
  });

  it('is about the reviewer during a review', () => {
    const reviewer = endedAgent('review-1', { isNoted: true });
    expect(explainRestart(buildTaskIn('agent-review', { reviewer }), momentAt())).toMatchObject([
      { code: 'crashed' },
    ]);
  });
});
