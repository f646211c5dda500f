import type { Survey } from '../../doctor/survey.js';
import type { Finding, FindingClass } from '../../domain/finding.js';
import { failed, success, type Result } from '../../domain/result.js';
import type { Done } from './done.js';
import {
  adoptAgent,
  endProcesses,
  endSession,
  reviveServer,
  type AgentParts,
} from './mend-agents.js';
import { closePaths, removeLeftovers, type LitterParts } from './mend-litter.js';
import {
  cutHistory,
  judgeClaims,
  linkTaskFile,
  restoreProjects,
  rewritePool,
  setIntentAside,
  type RecordMendParts,
} from './mend-record.js';
import {
  clearLocks,
  forgetWorktree,
  freeWorktree,
  makeWorktree,
  type TreeParts,
} from './mend-worktrees.js';

export type MendParts = AgentParts & LitterParts & RecordMendParts & TreeParts;

type Mend = (parts: MendParts, finding: Finding, survey: Survey) => Promise<Result<Done>>;

/** Puts one thing right. Safe to repeat; whatever would be lost is saved first. */
export const mendFinding: Mend = async (parts, finding, survey) =>
  MENDS[finding.class](parts, finding, survey);

/** Whether this has to wait for a daemon, since it means starting agents or judging a wish. */
export function needsDaemon(finding: Finding, survey: Survey): boolean {
  if (survey.isDaemon) return false;
  if (finding.class === 'outbox') return finding.path === survey.outbox.directory;
  if (finding.class === 'task-unreadable') return finding.fixable === 'with-fix';
  if (finding.class === 'worktree-missing') return finding.task_id !== null;
  return finding.class === 'task-without-session' || finding.class === 'history-status';
}

const MENDS: Readonly<Record<FindingClass, Mend>> = {
  'orphan-process': endProcesses,
  'zombie-session': endSession,
  'session-without-task': endSession,
  'terminal-server': reviveServer,
  'task-without-session': respawn,
  'launch-record': adoptAgent,
  'worktree-without-task': freeWorktree,
  quarantined: freeWorktree,
  'worktree-missing': async (parts, finding) =>
    finding.task_id === null ? makeWorktree(parts, finding) : respawn(parts, finding),
  'worktree-record': forgetWorktree,
  'worktree-foreign': byHand,
  'git-lock': clearLocks,
  'pool-file': rewritePool,
  'projects-file': restoreProjects,
  'task-unreadable': restoreFile,
  'task-fault': byHand,
  'task-link': linkTaskFile,
  'history-tail': cutHistory,
  'history-lines': byHand,
  'history-status': judgeClaims,
  outbox: setIntentAside,
  leftovers: removeLeftovers,
  permissions: closePaths,
};

async function respawn(parts: MendParts, finding: Finding): Promise<Result<Done>> {
  const taskId = finding.task_id ?? '';
  const asked = await parts.respawn(taskId);
  return asked.ok ? success({ message: `started the agent of task ${taskId} again` }) : asked;
}

async function restoreFile(parts: MendParts, finding: Finding): Promise<Result<Done>> {
  if (finding.fixable !== 'with-fix') return byHand(parts, finding);
  const asked = await parts.restoreFile(finding.task_id ?? '');
  return asked.ok ? success({ message: `wrote ${finding.path ?? ''} anew` }) : asked;
}

async function byHand(_: MendParts, finding: Finding): Promise<Result<Done>> {
  return failed({ kind: 'unsupported', what: finding.class, instead: finding.remedy });
}
