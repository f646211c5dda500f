import type {
  LaunchedProcess,
  Survey,
  SurveyedSession,
  SurveyedWorktree,
} from '../../src/doctor/survey.js';
import type { Finding } from '../../src/domain/finding.js';
import { TASK_ID } from './task.js';
import { buildWorld } from './world.js';

/** A survey of an empty home in which everything is in order. */
export function buildSurvey(parts: Partial<Survey> = {}): Survey {
  return {
    home: '/home/pat/orange',
    world: buildWorld(),
    isDaemon: true,
    terminal: { kind: 'listed', sessions: [] },
    processes: [],
    launchFolders: new Set(),
    poolFile: '/home/pat/orange/workspaces/.pool.json',
    pool: { kind: 'absent' },
    lostRecords: [],
    worktrees: [],
    projectsFile: '/home/pat/orange/projects.json',
    isProjectsFileGone: false,
    hasLastGoodProjects: false,
    problems: new Map(),
    unnoticed: new Map(),
    finishedClaims: new Map(),
    links: [],
    tornHistories: [],
    outbox: { directory: '/home/pat/orange/run/outbox', damaged: [], waiting: 0 },
    leftovers: [],
    openPaths: [],
    ...parts,
  };
}

export function surveyedProcess(parts: Partial<LaunchedProcess> = {}): LaunchedProcess {
  return {
    pid: 4711,
    start: 'boot/1',
    recorder: 4710,
    hasTerminal: true,
    taskId: TASK_ID,
    launchId: 'worker-1',
    workspace: null,
    ...parts,
  };
}

export function surveyedSession(parts: Partial<SurveyedSession> = {}): SurveyedSession {
  return {
    session: 'shop/dark-mode',
    taskId: TASK_ID,
    launches: [{ window: 'worker', launchId: 'worker-1' }],
    ...parts,
  };
}

export function listed(...sessions: readonly SurveyedSession[]): Survey['terminal'] {
  return { kind: 'listed', sessions };
}

export function surveyedWorktree(parts: Partial<SurveyedWorktree> = {}): SurveyedWorktree {
  const workspace = parts.workspace ?? 'shop--1';
  return {
    workspace,
    path: `/home/pat/orange/workspaces/${workspace}`,
    project: 'shop',
    state: { kind: 'unseen' },
    isListed: true,
    movedTo: null,
    isLocked: false,
    locks: [],
    ...parts,
  };
}

/** The facts of findings that a table compares. */
export function brief(findings: readonly Finding[]): readonly string[] {
  return findings.map((finding) => `${finding.class} ${finding.fixable}`);
}
