import { NOTHING, type Decision } from '../domain/decision.js';
import { TaskBug } from '../domain/task-bug.js';
import type { Moment, Observation } from '../domain/observation.js';
import type { TaskState, World } from '../domain/world.js';
import { advance } from './advance.js';
import { answerRequest } from './answer-request.js';
import { settleTellFailed, settleTold } from './deliver-message.js';
import { heedActivity, heedSilence, heedWaiting } from './heed-agent.js';
import { heldBack } from './reservations/hold-plan.js';
import { noteDrift } from './reservations/note-drift.js';
import { warnNext } from './reservations/warn-of-overlap.js';
import { settlePullRequest, settlePullRequestFailed } from './settle-pull-request.js';
import { nextToStart } from './schedule.js';
import { settleChecked } from './check-handoff.js';
import { settleFinalized, settleFinalizeFailed } from './finalize-task.js';
import { settleMergeFailed, settleMerged } from './settle-merge.js';
import {
  settleReleaseFailed,
  settleReleased,
  settleRenameFailed,
  settleRenamed,
  settleStartFailed,
  settleStarted,
} from './settle-result.js';
import { planStart } from './start-agent.js';
import { decideUpdate } from './update-task.js';

/**
 * The one place where it is decided what happens next. `world` already knows what the observation
 * says (absorb); what comes out are facts to record and effects to carry out, in that order.
 */
export function decide(world: World, observation: Observation, moment: Moment): Decision {
  if (observation.kind === 'request') {
    const { request, actor, newId } = observation;
    return answerRequest(world, request, { actor, newId, moment });
  }
  if (observation.kind === 'schedule') {
    return startNext(world, moment) ?? warnNext(world) ?? NOTHING;
  }
  const task = world.tasks.get(observation.taskId);
  if (task === undefined) return NOTHING;
  return decideOnTask(world, task, observation, moment);
}

type TaskObservation = Exclude<Observation, { kind: 'request' | 'schedule' }>;

function decideOnTask(
  world: World,
  task: TaskState,
  observation: TaskObservation,
  moment: Moment,
): Decision {
  switch (observation.kind) {
    case 'agent-started':
      return settleStarted(world, task, observation, moment);
    case 'start-failed':
      return settleStartFailed(world, task, observation, moment);
    case 'tell-failed':
      return settleTellFailed(world, task, observation, moment);
    case 'workspace-released':
      return settleReleased(task, observation);
    case 'release-failed':
      return settleReleaseFailed(task, observation);
    case 'merged':
      return settleMerged(world, task, observation, moment);
    case 'merge-failed':
      return settleMergeFailed(world, task, observation, moment);
    case 'finalized':
      return settleFinalized(task, observation);
    case 'finalize-failed':
      return settleFinalizeFailed(task, observation);
    case 'checked':
      return settleChecked(world, task, observation, moment);
    case 'branch-renamed':
      return settleRenamed(task, observation);
    case 'rename-failed':
      return settleRenameFailed(task, observation);
    case 'pull-request-seen':
      return settlePullRequest(world, task, observation, moment);
    case 'pull-request-failed':
      return settlePullRequestFailed(task, observation);
    case 'diff-seen':
      return noteDrift(task, observation);
    case 'mended':
      return decideUpdate(task, { events: [observation.event] });
    case 'agent-silent':
      return heedSilence(task, observation);
    case 'agent-active':
      return heedActivity(task, observation);
    case 'agent-waits':
      return heedWaiting(task, observation, moment);
    case 'late-edit':
      return takeInLateEdit(task, observation);
    case 'edit-kept':
      return noteKeptEdit(task, observation, moment);
    case 'agent-told':
      return settleTold(task, observation) ?? advance(world, task, moment) ?? NOTHING;
    case 'file-read':
    case 'file-unreadable':
    case 'agent-ended':
    case 'reconsider':
      return advance(world, task, moment) ?? NOTHING;
  }
}

/** Brings late words into the file; what they ask for in the frontmatter is judged when it is read. */
function takeInLateEdit(
  task: TaskState,
  { base, late }: Extract<Observation, { kind: 'late-edit' }>,
): Decision {
  return decideUpdate(task, { lateEdit: { base, late }, events: [{ type: 'edit.merged' }] });
}

/** Words that could not go into the file wait for a person to look at them. */
function noteKeptEdit(
  task: TaskState,
  { transcript, sections }: Extract<Observation, { kind: 'edit-kept' }>,
  { timestamp }: Moment,
): Decision {
  const events = [{ type: 'edit.kept', transcript, sections }];
  return decideUpdate(task, {
    events,
    runtime: { keptEdit: transcript, keptEditSince: timestamp },
  });
}

function startNext(world: World, moment: Moment): Decision | null {
  for (const task of [...withoutWorktree(world), ...heldBack(world)]) {
    const decision = naming(task, () => advance(world, task, moment));
    if (decision !== null) return decision;
  }
  const task = nextToStart(world, moment);
  if (task === null) return null;
  const order = { role: 'worker', isResuming: false, message: null } as const;
  const start = naming(task, () => planStart(world, task, order, moment));
  if (start === null) return null;
  return decideUpdate(task, { runtime: start.runtime }, [start.effect]);
}

/** Says of a bug which task it came up with, so that the others can go on without that one. */
function naming<T>({ fields }: TaskState, look: () => T): T {
  try {
    return look();
  } catch (error) {
    throw new TaskBug(fields.id, error);
  }
}

/** Tasks that need an agent and have not got a worktree yet, because the pool was used up. */
function withoutWorktree(world: World): readonly TaskState[] {
  return [...world.tasks.values()].filter(
    ({ fields, problems }) =>
      problems.length === 0 &&
      fields.workspace === null &&
      (fields.status === 'planning' ||
        fields.status === 'working' ||
        fields.status === 'agent-review'),
  );
}
