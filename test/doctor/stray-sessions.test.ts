import { describe, expect, it } from 'vitest';
import { findStraySessions } from '../../src/doctor/stray-sessions.js';
import type { Survey } from '../../src/doctor/survey.js';
import type { TaskState } from '../../src/domain/world.js';
import {
  brief,
  buildSurvey,
  listed,
  surveyedProcess,
  surveyedSession,
} from '../builders/survey.js';
import { buildTaskIn, endedAgent, TASK_ID } from '../builders/task.js';
import { buildWorld } from '../builders/world.js';

type Row = readonly [
  what: string,
  given: { readonly task: TaskState | null; readonly survey?: Partial<Survey> },
  then: readonly string[],
];

const ENDED = { worker: endedAgent('worker') };

const ROWS: readonly Row[] = [
  ['of a task that works is in its place', { task: buildTaskIn('working') }, []],
  ['of a task that is done', { task: buildTaskIn('done') }, ['zombie-session safe']],
  [
    'of a task that is just being freed is left to that',
    { task: buildTaskIn('cancelled', { activity: 'releasing' }) },
    [],
  ],
  [
    'without an agent may hold what somebody opened there',
    { task: buildTaskIn('reviewing', ENDED) },
    ['zombie-session with-fix'],
  ],
  ['of a reviewer alone is in its place', { task: buildTaskIn('agent-review', ENDED) }, []],
  [
    'of an unknown task with launch files in this home',
    { task: null, survey: { launchFolders: new Set([TASK_ID]) } },
    ['session-without-task with-fix'],
  ],
  [
    'of an unknown task with a process of this home',
    { task: null, survey: { processes: [surveyedProcess()] } },
    ['session-without-task with-fix'],
  ],
  [
    'I7 of an unknown task and of no known home is not ours to end',
    { task: null },
    ['session-without-task by-hand'],
  ],
  [
    'I7 without a tag is somebody else’s',
    { task: null, survey: { terminal: listed(surveyedSession({ taskId: null, launches: [] })) } },
    [],
  ],
];

describe('a session', () => {
  it.each(ROWS)('%s', (_, { task, survey }, then) => {
    const world = buildWorld({ tasks: task === null ? [] : [task] });
    const given = buildSurvey({ world, terminal: listed(surveyedSession()), ...survey });
    expect(brief(findStraySessions(given))).toEqual(then);
  });

  it('is not judged when the terminal server does not answer', () => {
    expect(
      findStraySessions(buildSurvey({ terminal: { kind: 'silent', reason: 'stopped' } })),
    ).toEqual([]);
  });
});
