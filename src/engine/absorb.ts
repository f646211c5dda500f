import { isAboutHistory } from '../domain/diagnostic.js';
import type { FileRead, Observation } from '../domain/observation.js';
import type { TaskState } from '../domain/world.js';
import { lostOf, tellLoss } from './lost-file.js';
import { findClaims } from './find-claims.js';

/** Folds what was seen of a task into what is known of it. Decides nothing. */
export function absorb(task: TaskState, observation: Observation): TaskState {
  switch (observation.kind) {
    case 'file-read':
      return absorbFile(task.isProvisional ? trustFile(task, observation) : task, observation);
    case 'file-unreadable':
      return absorbUnreadable(task, observation);
    case 'agent-ended':
      return absorbEnd(task, observation);
    case 'agent-started':
    case 'start-failed':
    case 'agent-silent':
    case 'agent-active':
    case 'agent-waits':
    case 'edit-kept':
    case 'late-edit':
    case 'agent-told':
    case 'tell-failed':
    case 'workspace-released':
    case 'release-failed':
    case 'mended':
    case 'diff-seen':
    case 'merged':
    case 'finalized':
    case 'finalize-failed':
    case 'checked':
    case 'merge-failed':
    case 'branch-renamed':
    case 'rename-failed':
    case 'pull-request-seen':
    case 'pull-request-failed':
    case 'request':
    case 'reconsider':
    case 'schedule':
      return task;
  }
}

function absorbUnreadable(
  known: TaskState,
  seen: Extract<Observation, { kind: 'file-unreadable' }>,
): TaskState {
  const { lost: _, ...task } = known;
  const hasBody = seen.lost !== undefined && seen.lost.body !== null;
  const problems = [
    ...tellLoss(task, seen.diagnostics, hasBody),
    ...task.problems.filter(isAboutHistory),
  ];
  return {
    ...task,
    isSettled: false,
    claims: null,
    unreadableSince: task.unreadableSince ?? seen.since,
    problems,
    ...lostOf({ ...task, problems }, seen.lost),
  };
}

function absorbFile(known: TaskState, seen: FileRead): TaskState {
  const { fields, extensions, context } = seen;
  const { unreadableSince: _, lost: _lost, ...task } = known;
  return {
    ...task,
    artifacts: seen.artifacts,
    isSettled: seen.isSettled,
    claims: findClaims(task, { fields, extensions, context }),
    problems: task.problems.filter(isAboutHistory),
  };
}

/** A file that can be read again is believed in all but what its place and the history know. */
function trustFile(task: TaskState, seen: FileRead): TaskState {
  const { id, project, status, updated_at, workspace, tmux_session } = task.fields;
  const place = workspace === null ? {} : { workspace, tmux_session };
  return {
    ...task,
    fields: { ...seen.fields, id, project, status, updated_at, ...place },
    extensions: seen.extensions,
    context: seen.context,
    isProvisional: false,
  };
}

function absorbEnd(
  task: TaskState,
  seen: Extract<Observation, { kind: 'agent-ended' }>,
): TaskState {
  const agent = seen.role === 'worker' ? task.worker : task.reviewer;
  // An end is news only for the launch that is known to live; a late word of an older one is not.
  if (agent.kind !== 'live' || agent.launchId !== seen.launchId) return task;
  return withAgent(task, seen.role, {
    kind: 'ended',
    launchId: seen.launchId,
    window: seen.window,
    exit: seen.exit,
    isNoted: false,
  });
}

function withAgent(
  task: TaskState,
  role: 'worker' | 'reviewer',
  agent: TaskState['worker'],
): TaskState {
  return role === 'worker' ? { ...task, worker: agent } : { ...task, reviewer: agent };
}
