import { describe, expect, it } from 'vitest';
import { findIdleTasks } from '../../src/doctor/idle-tasks.js';
import { STATUSES } from '../../src/domain/status.js';
import { ABSENT, type TaskState } from '../../src/domain/world.js';
import { brief, buildSurvey } from '../builders/survey.js';
import { buildTaskIn, endedAgent } from '../builders/task.js';
import { buildWorld } from '../builders/world.js';

const ENDED = { worker: endedAgent('worker'), reviewer: endedAgent('review-1') };

const ROWS: readonly (readonly [string, TaskState, readonly string[]])[] = [
  ['with its agent', buildTaskIn('working'), []],
  ['without one', buildTaskIn('working', ENDED), ['task-without-session with-fix']],
  [
    'that never had one',
    buildTaskIn('planning', { worker: ABSENT }),
    ['task-without-session with-fix'],
  ],
  ['whose agent comes back later', buildTaskIn('working', { ...ENDED, respawnAtMs: 1 }), []],
  [
    'whose start is tried again',
    buildTaskIn('working', {
      worker: ABSENT,
      startTrouble: { reason: 'x', failures: 1, retryAtMs: 1, since: '2026-01-02T11:00:00Z' },
    }),
    [],
  ],
  ['that is being started', buildTaskIn('working', { ...ENDED, activity: 'starting' }), []],
  [
    'that waits for a worktree',
    buildTaskIn('working', { worker: ABSENT, fields: { workspace: null } }),
    [],
  ],
  ['whose worker ended while it is reviewed', buildTaskIn('agent-review', { worker: ABSENT }), []],
];

describe('a task', () => {
  it.each(ROWS)('%s', (_, task, then) => {
    expect(brief(findIdleTasks(buildSurvey({ world: buildWorld({ tasks: [task] }) })))).toEqual(
      then,
    );
  });

  it.each(STATUSES)('in %s needs an agent or not', (status) => {
    const world = buildWorld({ tasks: [buildTaskIn(status, ENDED)] });
    const isActive = ['planning', 'working', 'agent-review'].includes(status);
    expect(findIdleTasks(buildSurvey({ world }))).toHaveLength(isActive ? 1 : 0);
  });

  it('is seen to by the next daemon when none runs', () => {
    const world = buildWorld({ tasks: [buildTaskIn('working', ENDED)] });
    expect(findIdleTasks(buildSurvey({ world, isDaemon: false }))).toEqual([
      expect.objectContaining({ fixable: 'safe', remedy: expect.stringContaining('daemon start') }),
    ]);
  });
});
