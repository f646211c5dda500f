import { NOTHING, type Change, type Decision } from '../domain/decision.js';
import { describeFailure } from '../domain/describe-failure.js';
import { textOf } from '../domain/extensions.js';
import type { Failure } from '../domain/failure.js';
import { isHindered } from '../domain/is-machine-fault.js';
import type { EventDraft } from '../domain/history-event.js';
import type { AgentStarted, Moment, Observation } from '../domain/observation.js';
import type { ExtensionEdits } from '../domain/request.js';
import { isTerminal } from '../domain/status.js';
import {
  ABSENT,
  type AgentState,
  type TaskState,
  type Trouble,
  type World,
} from '../domain/world.js';
import { backoffMs } from './crash-policy.js';
import { makeMove } from './make-move.js';
import { decideUpdate, remember } from './update-task.js';
import { settingsFor } from './world-queries.js';

type Seen<K extends Observation['kind']> = Extract<Observation, { kind: K }>;

/** Whether this start is the one under way; the word of any other comes too late to matter. */
function isAwaited(task: TaskState, seen: AgentStarted | Seen<'start-failed'>): boolean {
  const agent = seen.role === 'worker' ? task.worker : task.reviewer;
  return agent.kind === 'starting' && agent.launchId === seen.launchId;
}

/** A started agent enters the record: the worker's first start is the move to `planning`. */
export function settleStarted(
  world: World,
  task: TaskState,
  seen: AgentStarted,
  moment: Moment,
): Decision {
  const { fields } = task;
  if (!isAwaited(task, seen)) return NOTHING;
  if (isTerminal(fields.status)) return undoStart(task, seen);
  const agent = { kind: 'live', launchId: seen.launchId, window: seen.window } as const;
  const runtime = {
    ...(seen.role === 'worker' ? { worker: agent } : { reviewer: agent }),
    activity: null,
    reservedWorkspace: null,
    startTrouble: null,
    ...(seen.role === 'worker' ? { undelivered: null } : {}),
    ...(seen.role === 'reviewer' ? { reviewStartedRound: fields.review_round } : {}),
  };
  const isKnown = fields.workspace === seen.workspace && fields.tmux_session === seen.session;
  const place = { workspace: seen.workspace, tmux_session: seen.session };
  const extensions = conversationOf(task, seen);
  const spawned = startEvents(seen, fields.review_round, isKnown);
  const bound = isKnown ? {} : place;
  if (fields.status !== 'pending' || seen.role === 'reviewer') {
    return decideUpdate(task, { fields: bound, extensions, events: spawned, runtime });
  }
  const started = { ...task, worker: agent, fields: { ...fields, ...place } };
  const order = {
    to: 'planning',
    actor: 'daemon',
    reason: '',
    before: spawned,
    fields: place,
  } as const;
  const decision = makeMove(world, started, order, moment);
  return {
    ...decision,
    changes: decision.changes.map((change) =>
      change.kind === 'update-task'
        ? { ...change, extensions, runtime: { ...change.runtime, ...runtime } }
        : change,
    ),
  };
}

/** A worker that has begun anew, and whose program chooses the id, leaves the old one behind. */
function conversationOf(task: TaskState, { role, harnessSession }: AgentStarted): ExtensionEdits {
  const known = textOf(task.extensions['harness_session']);
  if (role === 'reviewer' || known === harnessSession) return {};
  return { harness_session: harnessSession };
}

// A reviewer that is the first agent of its task is also the one that took the worktree.
function startEvents(seen: AgentStarted, round: number, isKnown: boolean): readonly EventDraft[] {
  const { workspace, session: tmux_session, window, launchId: launch } = seen;
  const spawned = { type: 'agent.spawned', workspace, tmux_session, window, launch, ...seen.asked };
  if (seen.role === 'worker') return [spawned];
  const started = { type: 'review.started', round, window, launch, ...seen.asked };
  return isKnown ? [started] : [spawned, started];
}

/**
 * A start that failed leaves a pending task pending with the reason; elsewhere it is a crash, unless
 * the agent had no part in it: then it is tried again soon, and counts for nothing.
 */
export function settleStartFailed(
  world: World,
  task: TaskState,
  seen: Seen<'start-failed'>,
  moment: Moment,
): Decision {
  if (!isAwaited(task, seen)) return NOTHING;
  const { reason, role, replaced } = seen;
  const isNews = task.startTrouble?.reason !== reason;
  // The end of the agent that was to make room is nobody's news, now or at the next start.
  const made = replaced === undefined ? {} : { replaced };
  const isTold = isNews || replaced !== undefined;
  const isNobodysFault = isHindered(seen.failure);
  const agent = task.fields.workspace === null || isNobodysFault ? ABSENT : failedAgent(task, seen);
  const decision = decideUpdate(
    task,
    {
      events: isTold ? [{ type: 'spawn.failed', reason, role, ...made }] : [],
      runtime: {
        ...(role === 'worker' ? { worker: agent } : { reviewer: agent }),
        activity: null,
        reservedWorkspace: null,
        startTrouble: troubleAfter(world, task, seen, moment),
        ...(isNobodysFault ? { restarts: task.restarts.slice(0, -1) } : {}),
      },
    },
    // Where it is a crash, what follows from that is told.
    isNews && agent.kind === 'absent'
      ? [{ kind: 'notify-human', taskId: task.fields.id, cause: 'start-failed' }]
      : [],
  );
  return {
    ...decision,
    changes: [...decision.changes, ...setWorktreeAside(task, seen)],
    failure: seen.failure,
  };
}

function troubleAfter(
  world: World,
  task: TaskState,
  { reason, failure }: Seen<'start-failed'>,
  moment: Moment,
): Trouble {
  const { policy } = settingsFor(world, task.fields.project);
  const { startTrouble: before } = task;
  const failures = (before?.failures ?? 0) + 1;
  const backOffMs = Math.max(1000, backoffMs(policy, failures));
  const pauseMs = isHindered(failure) ? Math.min(backOffMs, HINDERED_MS) : backOffMs;
  const since = before?.reason === reason ? before.since : moment.timestamp;
  const heldBy = findHolder(world, failure);
  return { reason, failures, retryAtMs: moment.monotonicMs + pauseMs, since, heldBy };
}

/** The worktree that is set aside and has the branch until it is cleaned. */
function findHolder({ quarantined }: World, failure: Failure): string | null {
  if (failure.kind !== 'branch-in-use') return null;
  return [...quarantined.keys()].find((name) => failure.where.endsWith(`/${name}`)) ?? null;
}

function failedAgent(task: TaskState, seen: Seen<'start-failed'>): AgentState {
  return {
    kind: 'ended',
    launchId: seen.launchId,
    window: seen.role === 'worker' ? 'worker' : `review-${task.fields.review_round}`,
    exit: { status: null, signal: null, hasScreen: false },
    isNoted: false,
    startFailure: seen.reason,
  };
}

/** So soon after the terminals answer again, or the disk has room, all is as before. */
const HINDERED_MS = 3000;

/** One that somebody works in, or that was left in disorder: the next try takes another. */
function setWorktreeAside(task: TaskState, seen: Seen<'start-failed'>): readonly Change[] {
  const { reservedWorkspace: workspace } = task;
  const occupied = seen.failure.kind === 'worktree-occupied' ? seen.failure : null;
  const failure = seen.untidy ?? occupied;
  if (failure === null || workspace === null || task.fields.workspace !== null) return [];
  const reason = seen.untidy === undefined ? seen.reason : describeFailure(failure).message;
  return [{ kind: 'quarantine', workspace, reason, isHindered: isHindered(failure) }];
}

/** The worktree is clean and free again: the record lets go of it. */
export function settleReleased(task: TaskState, seen: Seen<'workspace-released'>): Decision {
  if (task.activity !== 'releasing') return NOTHING;
  const salvaged = seen.salvageRefs.map((ref) => ({
    type: 'workspace.salvaged',
    workspace: seen.workspace,
    ref,
  }));
  const isOurs = task.fields.workspace === seen.workspace;
  return decideUpdate(task, {
    fields: isOurs ? { workspace: null, tmux_session: null } : {},
    events: salvaged,
    runtime: { activity: null, reservedWorkspace: null },
  });
}

/** A worktree that could not be cleaned is handed to nobody until somebody has looked at it. */
export function settleReleaseFailed(task: TaskState, seen: Seen<'release-failed'>): Decision {
  if (task.activity !== 'releasing') return NOTHING;
  const isOurs = task.fields.workspace === seen.workspace;
  const decision = decideUpdate(task, {
    fields: isOurs ? { workspace: null, tmux_session: null } : {},
    events: [{ type: 'workspace.quarantined', workspace: seen.workspace, reason: seen.reason }],
    runtime: { activity: null, reservedWorkspace: null },
  });
  const { workspace, reason } = seen;
  const quarantine = {
    kind: 'quarantine',
    workspace,
    reason,
    isHindered: isHindered(seen.failure),
  } as const;
  return { ...decision, changes: [...decision.changes, quarantine] };
}

export function settleRenamed(task: TaskState, seen: Seen<'branch-renamed'>): Decision {
  if (task.activity !== 'renaming') return NOTHING;
  return decideUpdate(task, {
    fields: { branch: seen.to },
    events: [{ type: 'task.updated', fields: ['branch'], branch: seen.to }],
    runtime: { activity: null },
  });
}

export function settleRenameFailed(task: TaskState, seen: Seen<'rename-failed'>): Decision {
  if (task.activity !== 'renaming') return NOTHING;
  return { ...remember(task, { activity: null }), failure: seen.failure };
}

/** The task ended while its agent was being started: take the agent and the worktree back. */
function undoStart(task: TaskState, seen: AgentStarted): Decision {
  const { id } = task.fields;
  return decideUpdate(
    task,
    { runtime: { activity: 'releasing', worker: ABSENT, reviewer: ABSENT } },
    [
      {
        kind: 'release-workspace',
        taskId: id,
        session: seen.session,
        workspace: seen.workspace,
        deleteBranch: false,
      },
    ],
  );
}
