import { describe, expect, it } from 'vitest';
import { findOrphanProcesses } from '../../src/doctor/orphan-processes.js';
import type { Survey } from '../../src/doctor/survey.js';
import type { TaskState } from '../../src/domain/world.js';
import {
  brief,
  buildSurvey,
  listed,
  surveyedProcess,
  surveyedSession,
} from '../builders/survey.js';
import { buildTaskIn, endedAgent, liveAgent } from '../builders/task.js';
import { buildWorld } from '../builders/world.js';

type Row = readonly [
  what: string,
  given: { readonly task: TaskState | null; readonly survey?: Partial<Survey> },
  then: readonly string[],
];

const WINDOW = { terminal: listed(surveyedSession()) };
const HUNG_UP = { hasTerminal: false };
const SAFE = ['orphan-process safe'];
const ASKED = ['orphan-process with-fix'];

const ROWS: readonly Row[] = [
  [
    'of an agent in its window is in its place',
    { task: buildTaskIn('working'), survey: WINDOW },
    [],
  ],
  ['whose task is done', { task: buildTaskIn('done') }, SAFE],
  ['whose task is cancelled', { task: buildTaskIn('cancelled') }, SAFE],
  [
    'of a task that is just being freed is left to that',
    { task: buildTaskIn('done', { activity: 'releasing' }) },
    [],
  ],
  [
    'that was hung up, whose window is gone',
    { task: buildTaskIn('working'), survey: { processes: [surveyedProcess(HUNG_UP)] } },
    SAFE,
  ],
  [
    'that was hung up beside one that still has a terminal',
    {
      task: buildTaskIn('working'),
      survey: { processes: [surveyedProcess(HUNG_UP), surveyedProcess({ pid: 4712 })] },
    },
    ASKED,
  ],
  ['in a window that is not its own', { task: buildTaskIn('working') }, ASKED],
  [
    'whose window is gone, where nobody tells of terminals',
    {
      task: buildTaskIn('working'),
      survey: { processes: [surveyedProcess({ hasTerminal: null })] },
    },
    ASKED,
  ],
  [
    'of a start under way is left alone',
    { task: buildTaskIn('working', { activity: 'starting' }) },
    [],
  ],
  [
    'of an earlier start, beside the present one',
    { task: buildTaskIn('working', { worker: liveAgent('worker', 'worker-2') }) },
    SAFE,
  ],
  [
    'that an ended agent left behind may be wanted',
    { task: buildTaskIn('reviewing', { worker: endedAgent('worker') }) },
    ASKED,
  ],
  ['whose task is not known', { task: null }, ASKED],
  [
    'is not judged when the terminal server does not answer',
    { task: buildTaskIn('done'), survey: { terminal: { kind: 'silent', reason: 'stopped' } } },
    [],
  ],
  [
    'is not judged when there is no process table',
    { task: buildTaskIn('done'), survey: { processes: null } },
    [],
  ],
];

describe('a process', () => {
  it.each(ROWS)('%s', (_, { task, survey }, then) => {
    const world = buildWorld({ tasks: task === null ? [] : [task] });
    const processes = [surveyedProcess()];
    expect(brief(findOrphanProcesses(buildSurvey({ world, processes, ...survey })))).toEqual(then);
  });

  it('and its descendants are one finding, with all their pids', () => {
    const world = buildWorld({ tasks: [buildTaskIn('done')] });
    const processes = [surveyedProcess({ pid: 7 }), surveyedProcess({ pid: 8 })];
    const [found, ...others] = findOrphanProcesses(buildSurvey({ world, processes }));
    expect(others).toEqual([]);
    expect(found).toMatchObject({ pids: [7, 8], task_id: processes[0]?.taskId });
    expect(found?.message).toBe(
      'processes 7, 8 of shop/dark-mode outlived the task, which is over',
    );
  });
});
