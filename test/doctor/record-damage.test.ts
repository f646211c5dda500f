import { describe, expect, it } from 'vitest';
import { findRecordDamage } from '../../src/doctor/record-damage.js';
import type { Survey } from '../../src/doctor/survey.js';
import type { Diagnostic } from '../../src/domain/diagnostic.js';
import { brief, buildSurvey } from '../builders/survey.js';
import { buildTask, buildTaskIn, TASK_ID } from '../builders/task.js';
import { buildWorld } from '../builders/world.js';

const HOME = '/home/pat/orange';

function problem(file: string, line = 1): Diagnostic {
  return { code: 'ORA016', severity: 'error', file, line, message: 'bad', fix: 'mend it' };
}

function withProblem(file: string, line?: number): Partial<Survey> {
  return { problems: new Map([[file, [problem(file, line)]]]) };
}

const ROWS: readonly (readonly [string, Partial<Survey>, readonly string[]])[] = [
  ['in order', {}, []],
  [
    'with a TASK.md that cannot be read',
    { world: buildWorld({ tasks: [buildTask({ problems: [problem(`${HOME}/x/TASK.md`)] })] }) },
    ['task-unreadable by-hand'],
  ],
  [
    'with a folder that is no task any more',
    withProblem(`${HOME}/tasks/shop/x/TASK.md`),
    ['task-unreadable by-hand'],
  ],
  [
    'with a bad line in a history',
    withProblem(`${HOME}/tasks/shop/x/history.jsonl`),
    ['history-lines by-hand'],
  ],
  [
    'F7 with a history that ends in half a line',
    { tornHistories: [{ taskId: TASK_ID, path: `${HOME}/h` }] },
    ['history-tail safe'],
  ],
  [
    'F21 with a projects.json that cannot be read',
    withProblem(`${HOME}/projects.json`),
    ['projects-file by-hand'],
  ],
  [
    'F21 with a projects.json that can be brought back',
    { ...withProblem(`${HOME}/projects.json`), hasLastGoodProjects: true },
    ['projects-file with-fix'],
  ],
  [
    'F21 whose projects.json is gone',
    { isProjectsFileGone: true, hasLastGoodProjects: true },
    ['projects-file with-fix'],
  ],
  ['that never had a project', { isProjectsFileGone: true }, []],
  [
    'with settings and a pool that have checks of their own',
    withProblem(`${HOME}/config.yaml`),
    [],
  ],
  [
    'with intents that cannot be read',
    { outbox: { directory: `${HOME}/run/outbox`, damaged: [`${HOME}/run/outbox/1`], waiting: 0 } },
    ['outbox with-fix'],
  ],
  [
    'with moves under way',
    { outbox: { directory: `${HOME}/run/outbox`, damaged: [], waiting: 2 } },
    [],
  ],
  [
    'with moves that a daemon left',
    { isDaemon: false, outbox: { directory: `${HOME}/run/outbox`, damaged: [], waiting: 2 } },
    ['outbox safe'],
  ],
  ...(
    [
      ['absent', 'safe'],
      ['elsewhere', 'safe'],
      ['copy', 'safe'],
      ['obstacle', 'by-hand'],
    ] as const
  ).map(
    ([state, fixable]) =>
      [
        `with a TASK.md in a worktree that is ${state}`,
        { links: [{ taskId: TASK_ID, path: '/w/TASK.md', state }] },
        [`task-link ${fixable}`],
      ] as const,
  ),
];

describe('a home', () => {
  it.each(ROWS)('%s', (_, survey, then) => {
    expect(brief(findRecordDamage(buildSurvey(survey)))).toEqual(then);
  });

  it('F21 names the line of a mistake in projects.json', () => {
    const survey = buildSurvey(withProblem(`${HOME}/projects.json`, 7));
    expect(findRecordDamage(survey)).toEqual([
      expect.objectContaining({
        severity: 'error',
        message: `${HOME}/projects.json:7 ORA016 bad`,
        remedy: 'mend it',
        path: `${HOME}/projects.json`,
      }),
    ]);
  });

  it('in which TASK.md says another status than the history leaves that to the daemon', () => {
    const task = buildTaskIn('working');
    const { extensions, context } = task;
    const claims = { fields: { ...task.fields, status: 'done' as const }, extensions, context };
    const world = buildWorld({ tasks: [{ ...task, claims }] });
    expect(brief(findRecordDamage(buildSurvey({ world, isDaemon: false })))).toEqual([
      'history-status safe',
    ]);
    expect(findRecordDamage(buildSurvey({ world }))).toEqual([]);
  });

  it('in which TASK.md has what only the engine sets leaves that to the daemon', () => {
    const task = buildTaskIn('working');
    const { extensions, context } = task;
    const edited = { ...task.fields, crash_count: 50, review_round: 9 };
    const claims = { fields: edited, extensions, context };
    const world = buildWorld({ tasks: [{ ...task, claims }] });
    expect(findRecordDamage(buildSurvey({ world, isDaemon: false }))).toMatchObject([
      {
        class: 'history-status',
        message: 'TASK.md of shop/dark-mode says review_round 9, crash_count 50, its history 0, 0',
        fixable: 'safe',
      },
    ]);
    expect(findRecordDamage(buildSurvey({ world }))).toEqual([]);
  });

  it('F34 in which TASK.md has an updated_at that is still to come leaves that to the daemon', () => {
    const task = buildTaskIn('working');
    const { extensions, context, fields } = task;
    const claims = {
      fields: { ...fields, updated_at: '2099-01-01T00:00:00Z' },
      extensions,
      context,
    };
    const world = buildWorld({ tasks: [{ ...task, claims }] });
    expect(findRecordDamage(buildSurvey({ world, isDaemon: false }))).toMatchObject([
      { message: expect.stringContaining('says updated_at 2099-01-01T00:00:00Z, its history') },
    ]);
  });

  it.each([
    [true, 'at once: orange doctor --fix history-status'],
    [false, 'orange daemon start'],
  ])(
    'in which a finished task claims to go on is mended by the daemon (running: %s)',
    (isDaemon, remedy) => {
      const world = buildWorld({ tasks: [buildTaskIn('done')] });
      const finishedClaims = new Map([[TASK_ID, 'working' as const]]);
      const found = findRecordDamage(buildSurvey({ world, isDaemon, finishedClaims }));
      expect(brief(found)).toEqual(['history-status safe']);
      expect(found[0]?.remedy).toBe(
        isDaemon
          ? `Nothing leaves done: the daemon puts it back; ${remedy}`
          : `Nothing leaves done: the daemon puts it back: ${remedy}`,
      );
    },
  );
});
