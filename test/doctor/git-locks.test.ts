import { describe, expect, it } from 'vitest';
import { findGitLocks } from '../../src/doctor/git-locks.js';
import type { SurveyedWorktree } from '../../src/doctor/survey.js';
import type { TaskState } from '../../src/domain/world.js';
import { brief, buildSurvey, surveyedWorktree } from '../builders/survey.js';
import { buildTaskIn, endedAgent } from '../builders/task.js';
import { buildWorld } from '../builders/world.js';

const STALE = { locks: [{ path: '/repo/.git/worktrees/shop--1/index.lock', isStale: true }] };
const HELD = { locks: [{ path: '/repo/.git/worktrees/shop--1/index.lock', isStale: false }] };

const ENDED = buildTaskIn('reviewing', { worker: endedAgent('worker') });

type Row = readonly [string, Partial<SurveyedWorktree>, TaskState, readonly string[]];

const ROWS: readonly Row[] = [
  ['F45 that nobody holds any more', STALE, ENDED, ['git-lock safe']],
  [
    'F45 beside a living agent is removed when asked for',
    STALE,
    buildTaskIn('working'),
    ['git-lock with-fix'],
  ],
  ['F45 that a living git may hold is left alone', HELD, buildTaskIn('working'), []],
  [
    'of a worktree that is just being made is left to that',
    STALE,
    buildTaskIn('planning', { activity: 'starting' }),
    [],
  ],
  [
    'I7 of a worktree of no project is not ours',
    { ...STALE, project: null },
    buildTaskIn('working'),
    [],
  ],
];

describe('a lock of git', () => {
  it.each(ROWS)('%s', (_, worktree, task, then) => {
    const world = buildWorld({ tasks: [task] });
    const survey = buildSurvey({ world, worktrees: [surveyedWorktree(worktree)] });
    expect(brief(findGitLocks(survey))).toEqual(then);
  });
});
