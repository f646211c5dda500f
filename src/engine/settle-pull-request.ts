import { NOTHING, type Decision } from '../domain/decision.js';
import type { EventDraft } from '../domain/history-event.js';
import type { Moment, Observation, PullRequestSeen } from '../domain/observation.js';
import type { PullRequest } from '../domain/pull-request.js';
import { isTerminal } from '../domain/status.js';
import type { FrontmatterValue, TaskFields } from '../domain/task.js';
import type { TaskState, World } from '../domain/world.js';
import { makeMove, type MoveOrder } from './make-move.js';
import { heedRemarks } from './pull-request-feedback.js';
import { decideUpdate, refuse, remember } from './update-task.js';
import { settingsFor } from './world-queries.js';

/**
 * What GitHub says of a task's pull request. Merged there, the task is done. Closed there, it is
 * cancelled, unless there is work here that GitHub never saw: that is for a person to decide.
 */
export function settlePullRequest(
  world: World,
  task: TaskState,
  seen: PullRequestSeen,
  moment: Moment,
): Decision {
  const { fields, activity } = task;
  const isNew = seen.purpose === 'opened';
  if (isTerminal(fields.status)) return NOTHING;
  // Another one has been opened since the question was asked.
  if (!isNew && fields.pr_url !== seen.pullRequest.url) return NOTHING;
  if (activity !== null && !(isNew && activity === 'publishing')) return putOff(task, seen);
  const free = { ...task, activity: null };
  if (seen.pullRequest.state === 'merged') return finish(world, free, seen, moment);
  if (seen.pullRequest.state === 'closed' && !seen.hasNewerWork) {
    return giveUp(world, free, seen, moment);
  }
  const noted = note(task, seen);
  if (seen.pullRequest.state === 'closed' || isNew) return noted;
  return withRemarks(noted, heedRemarks(world, task, seen, moment));
}

export function settlePullRequestFailed(
  task: TaskState,
  { failure }: Extract<Observation, { kind: 'pull-request-failed' }>,
): Decision {
  if (task.activity !== 'publishing') return refuse(failure, task.fields.id);
  return { ...remember(task, { activity: null }), failure };
}

/** Something else is just being done for the task; whoever asked may ask again. */
function putOff({ fields, activity }: TaskState, { askedBy }: PullRequestSeen): Decision {
  if (askedBy === 'daemon' || activity === null) return NOTHING;
  return refuse({ kind: 'agent-busy', taskId: fields.id, doing: activity }, fields.id);
}

function finish(
  world: World,
  task: TaskState,
  { pullRequest, hasNewerWork }: PullRequestSeen,
  moment: Moment,
): Decision {
  const { url, mergeCommit } = pullRequest;
  const { merge } = settingsFor(world, task.fields.project);
  const event = {
    type: 'pr.merged',
    url,
    commit: mergeCommit,
    ...(hasNewerWork ? { newer_work: true } : {}),
  };
  const order: MoveOrder = {
    to: 'done',
    actor: 'daemon',
    reason: 'its pull request was merged',
    before: [event],
    deleteBranch: merge.deleteBranch,
    fields: linkTo(task, pullRequest),
  };
  return withState(makeMove(world, task, order, moment), pullRequest);
}

function giveUp(
  world: World,
  task: TaskState,
  { pullRequest }: PullRequestSeen,
  moment: Moment,
): Decision {
  const order: MoveOrder = {
    to: 'cancelled',
    actor: 'daemon',
    reason: 'its pull request was closed',
    before: [{ type: 'pr.closed', url: pullRequest.url }],
    fields: linkTo(task, pullRequest),
  };
  return withState(makeMove(world, task, order, moment), pullRequest);
}

/** The pull request lives on, or is closed and not the whole of the work. */
function note(task: TaskState, { pullRequest, purpose }: PullRequestSeen): Decision {
  const { url, state, checks } = pullRequest;
  const fields = linkTo(task, pullRequest);
  const extensions = stateKeys(pullRequest);
  const hasChanged =
    fields.pr_url !== undefined ||
    Object.entries(extensions).some(([key, value]) => (task.extensions[key] ?? null) !== value);
  const isOther = fields.pr_url !== undefined;
  const runtime = {
    ...(purpose === 'opened' ? { activity: null } : {}),
    ...(isOther ? { feedback: { ...task.feedback, waiting: [], since: null } } : {}),
  };
  if (!hasChanged && purpose !== 'opened') return { ...NOTHING, taskId: task.fields.id };
  if (!hasChanged) return remember(task, runtime);
  const isClosed = state === 'closed' && task.extensions['pr_state'] !== 'closed';
  const event: EventDraft = isClosed
    ? { type: 'pr.closed', url, newer_work: true }
    : { type: fields.pr_url === undefined ? 'pr.updated' : 'pr.opened', url, state, checks };
  const cause = 'pr-closed-with-commits';
  return decideUpdate(
    task,
    { fields, extensions, events: [event], runtime },
    isClosed ? [{ kind: 'notify-human', taskId: task.fields.id, cause }] : [],
  );
}

/** Both in one step: how it stands, and what comes of what was said. */
function withRemarks(noted: Decision, heeded: Decision | null): Decision {
  if (heeded === null) return noted;
  const [state] = noted.changes;
  if (state?.kind !== 'update-task') return heeded;
  const [move] = heeded.changes;
  if (move?.kind !== 'update-task') return { ...heeded, changes: noted.changes };
  const merged = {
    ...move,
    extensions: { ...state.extensions, ...move.extensions },
    events: [...state.events, ...move.events],
  };
  return { ...heeded, changes: [merged] };
}

function linkTo({ fields }: TaskState, { url }: PullRequest): Partial<TaskFields> {
  return fields.pr_url === url ? {} : { pr_url: url };
}

/** What the frontmatter says of it; a key that is null is left out. */
function stateKeys({
  state,
  checks,
}: PullRequest): Readonly<Record<'pr_state' | 'pr_checks', FrontmatterValue>> {
  return { pr_state: state, pr_checks: checks === 'none' ? null : checks };
}

function withState(decision: Decision, pullRequest: PullRequest): Decision {
  return {
    ...decision,
    changes: decision.changes.map((change) =>
      change.kind === 'update-task'
        ? {
            ...change,
            extensions: { ...change.extensions, ...stateKeys(pullRequest) },
            runtime: { activity: null, ...change.runtime },
          }
        : change,
    ),
  };
}
