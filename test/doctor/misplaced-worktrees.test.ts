import { describe, expect, it } from 'vitest';
import { findMisplacedWorktrees } from '../../src/doctor/misplaced-worktrees.js';
import type { SurveyedWorktree } from '../../src/doctor/survey.js';
import type { TaskState } from '../../src/domain/world.js';
import { brief, buildSurvey, surveyedWorktree } from '../builders/survey.js';
import { buildTaskIn } from '../builders/task.js';
import { buildWorld } from '../builders/world.js';

type Row = readonly [
  what: string,
  given: {
    readonly task?: TaskState;
    readonly worktree?: Partial<SurveyedWorktree>;
    readonly quarantined?: readonly string[];
    readonly isDaemon?: boolean;
  },
  then: readonly string[],
];

function onBranch(branch: string | null): Partial<SurveyedWorktree> {
  return { state: { kind: 'worktree', branch, unrest: null } };
}

function unusable(reason: string, isRecoverable = false): SurveyedWorktree['state'] {
  return { kind: 'unusable', reason, isRecoverable };
}

const GONE: Partial<SurveyedWorktree> = { state: { kind: 'absent' } };
const DIRTY: Partial<SurveyedWorktree> = {
  state: { kind: 'worktree', branch: null, unrest: 'it is not clean' },
};
const WORKING = buildTaskIn('working');

const HELD: readonly Row[] = [
  ['on its branch is fine', { task: WORKING, worktree: onBranch('dark-mode') }, []],
  ['that was only seen from outside is fine', { task: WORKING }, []],
  [
    'F46 that was switched to another branch is left as it is',
    { task: WORKING, worktree: onBranch('mine') },
    ['worktree-foreign by-hand'],
  ],
  [
    'F46 that was taken off its branch is left as it is',
    { task: WORKING, worktree: onBranch(null) },
    ['worktree-foreign by-hand'],
  ],
  [
    'F46 that was moved is left where it is',
    { task: WORKING, worktree: { ...GONE, movedTo: '/elsewhere' } },
    ['worktree-foreign by-hand'],
  ],
  [
    'F46 that became something else is left as it is',
    {
      task: WORKING,
      worktree: { state: unusable('it belongs to another repository') },
    },
    ['worktree-foreign by-hand'],
  ],
  [
    'F46 that was deleted is made again when asked for',
    { task: WORKING, worktree: GONE },
    ['worktree-missing with-fix'],
  ],
  [
    'F46 that was deleted is made again by the next daemon',
    { task: WORKING, worktree: GONE, isDaemon: false },
    ['worktree-missing safe'],
  ],
  [
    'that is just being made is left to that',
    { task: buildTaskIn('planning', { activity: 'starting' }), worktree: GONE },
    [],
  ],
  [
    'of a task that is over is being freed',
    { task: buildTaskIn('done', { fields: { workspace: 'shop--1' } }), worktree: onBranch('x') },
    [],
  ],
];

const IDLE: readonly Row[] = [
  ['that is clean is fine', { worktree: onBranch(null) }, []],
  [
    'with something in it waits to be saved',
    { worktree: DIRTY },
    ['worktree-without-task with-fix'],
  ],
  ['that is gone is made again', { worktree: GONE }, ['worktree-missing safe']],
  [
    'F46 that is gone, and that no pool counts on, is only to be forgotten by git',
    { worktree: { ...GONE, isListed: false } },
    ['worktree-record safe'],
  ],
  [
    'F46 that was moved is left where it is',
    { worktree: { ...GONE, movedTo: '/elsewhere' } },
    ['worktree-foreign by-hand'],
  ],
  [
    'F46 that was moved, and that no pool counts on, is left where it is',
    { worktree: { ...GONE, movedTo: '/elsewhere', isListed: false } },
    ['worktree-foreign by-hand'],
  ],
  [
    'that is gone and locked is left to whoever locked it',
    { worktree: { ...GONE, isLocked: true } },
    ['worktree-foreign by-hand'],
  ],
  [
    'that was set aside is tried again',
    { worktree: DIRTY, quarantined: ['shop--1'] },
    ['quarantined safe'],
  ],
  [
    'that the last daemon had set aside is looked at anew without one',
    { worktree: onBranch(null), quarantined: ['shop--1'], isDaemon: false },
    [],
  ],
  [
    'I7 that is a repository of somebody else is not ours to clean',
    { worktree: { state: unusable('it is the main checkout') } },
    ['worktree-foreign by-hand'],
  ],
  [
    'I7 of no registered project is not ours to clean',
    { worktree: { ...DIRTY, project: null } },
    ['worktree-without-task by-hand'],
  ],
];

function judge([, given]: Row): readonly string[] {
  const world = buildWorld({
    tasks: given.task === undefined ? [] : [given.task],
    quarantined: given.quarantined ?? [],
  });
  const worktrees = [surveyedWorktree(given.worktree)];
  const survey = buildSurvey({ world, worktrees, isDaemon: given.isDaemon ?? true });
  return brief(findMisplacedWorktrees(survey));
}

describe('the worktree of a task', () => {
  it.each(HELD)('%s', (...row) => {
    expect(judge(row)).toEqual(row[2]);
  });

  it('is named with its path, its task and what to do', () => {
    const survey = buildSurvey({
      world: buildWorld({ tasks: [WORKING] }),
      worktrees: [surveyedWorktree(onBranch('mine'))],
    });
    const path = '/home/pat/orange/workspaces/shop--1';
    expect(findMisplacedWorktrees(survey)).toEqual([
      expect.objectContaining({
        message: `${path} of shop/dark-mode is on mine instead of dark-mode`,
        remedy: `Look at it, then: git -C ${path} switch dark-mode`,
        task_id: WORKING.fields.id,
        path,
      }),
    ]);
  });
});

it('F46 of a worktree that lacks only its .git, it is said how to put that back', () => {
  const remedies = [[WORKING], []].map((tasks) => {
    const world = buildWorld({ tasks });
    const worktrees = [surveyedWorktree({ state: unusable('its .git is missing', true) })];
    return findMisplacedWorktrees(buildSurvey({ world, worktrees })).map(({ remedy }) => remedy);
  });
  const putBack = 'Put it back: git -C /repositories/shop worktree repair';
  expect(remedies).toEqual([
    [`${putBack}; the next start of its agent does so, too`],
    [`${putBack}; the next task that gets it does so, too`],
  ]);
});

describe('an idle worktree', () => {
  it.each(IDLE)('%s', (...row) => {
    expect(judge(row)).toEqual(row[2]);
  });
});
