import type { LaunchedProcess, Survey, SurveyedSession } from '../../src/doctor/survey.js';
import type { Finding } from '../../src/domain/finding.js';
import { TASK_ID } from './task.js';
import { buildWorld } from './world.js';

/** A survey of an empty home in which everything is in order. */
export function buildSurvey(parts: Partial<Survey> = {}): Survey {
  return {
    home: '/home/pat/orange',
    world: buildWorld(),
    sessions: [],
    processes: [],
    launchFolders: new Set(),
    poolFile: '/home/pat/orange/workspaces/.pool.json',
    pool: { kind: 'absent' },
    worktrees: new Set(),
    ...parts,
  };
}

export function surveyedProcess(parts: Partial<LaunchedProcess> = {}): LaunchedProcess {
  return { pid: 4711, start: 'boot/1', taskId: TASK_ID, launchId: 'worker-1', ...parts };
}

export function surveyedSession(parts: Partial<SurveyedSession> = {}): SurveyedSession {
  return { session: 'shop/dark-mode', taskId: TASK_ID, launchIds: ['worker-1'], ...parts };
}

/** The facts of findings that a table compares. */
export function brief(findings: readonly Finding[]): readonly string[] {
  return findings.map((finding) => `${finding.class} ${finding.fixable}`);
}
