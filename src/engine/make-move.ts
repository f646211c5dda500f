import type { Decision, RuntimeEdit, SectionEdit } from '../domain/decision.js';
import type { AgentMessage, Effect } from '../domain/effect.js';
import type { EventDraft } from '../domain/history-event.js';
import type { JsonValue } from '../domain/json.js';
import type { Moment } from '../domain/observation.js';
import type { Actor } from '../domain/request.js';
import { WORKER_WINDOW } from '../domain/session.js';
import type { Status } from '../domain/status.js';
import type { TaskFields } from '../domain/task.js';
import { describeTrouble } from '../domain/describe-trouble.js';
import { ABSENT, type AgentState, type TaskState, type World } from '../domain/world.js';
import { measureOnHandoff } from './reservations/note-drift.js';
import { reservationAfterMove } from './reservations/replay-reservations.js';
import { gatesAfterMove } from './replay-gates.js';
import { beginsWork, hasFreshHandoff } from './gates.js';
import { noteEnd } from './note-end.js';
import { permitRestart } from './restart-policy.js';
import { planStart } from './start-agent.js';
import { updateTask } from './update-task.js';
import { isRunning } from './world-queries.js';

export type MoveOrder = {
  readonly to: Status;
  readonly actor: Actor;
  /** The evidence, when the daemon advances by itself. */
  readonly reason: string;
  readonly facts?: Readonly<Record<string, JsonValue>>;
  /** Events that lead up to the move. */
  readonly before?: readonly EventDraft[];
  readonly fields?: Partial<TaskFields>;
  readonly sections?: readonly SectionEdit[];
  readonly message?: AgentMessage;
  readonly deleteBranch?: boolean;
};

/**
 * Moves a task and runs the enter-action of its new status. The caller has checked the move.
 * One move leaves one event: `auto.advanced` when the daemon moved by itself, else `status.changed`.
 */
export function makeMove(
  world: World,
  task: TaskState,
  order: MoveOrder,
  moment: Moment,
): Decision {
  const from = task.fields.status;
  const fields: Partial<TaskFields> = {
    ...order.fields,
    status: order.to,
    ...(order.to === 'stuck' ? {} : { crash_count: 0 }),
    ...(order.to === 'agent-review' ? { review_round: task.fields.review_round + 1 } : {}),
  };
  const moved: TaskState = { ...task, fields: { ...task.fields, ...fields } };
  const events = [...(order.before ?? []), moveEvent(task, order)];
  const entry = enterStatus(world, moved, { ...order, from }, moment);
  return {
    changes: [
      updateTask(task, {
        fields,
        sections: [...(order.sections ?? []), ...entry.sections],
        events,
        runtime: {
          ...(handsOver(task, order.to) ? { worker: markNoted(task.worker, moment) } : {}),
          ...entry.runtime,
          cameFrom: from,
          gates: gatesAfterMove(task.gates, order.to),
          reservation: reservationAfterMove(task.reservation, order.to),
          statusSince: moment.timestamp,
          ...(order.actor === 'human' ? { keptEdit: null, keptEditSince: null } : {}),
          stuckBecause: order.to === 'stuck' ? describeTrouble(events) : null,
          attention: null,
          finalized: null,
          failedChecks: 0,
          ...stampsOnEntering(task, order.to),
        },
      }),
    ],
    effects: [...entry.effects, ...measureOnHandoff(task, order.to)],
    failure: null,
    taskId: task.fields.id,
  };
}

function moveEvent(task: TaskState, order: MoveOrder): EventDraft {
  const ends = { from: task.fields.status, to: order.to };
  const stamps: Record<string, JsonValue> = {};
  if (beginsWork(task.fields.status, order.to) && task.artifacts.handoffDigest !== null) {
    stamps['handoff_stamp'] = task.artifacts.handoffDigest;
  }
  // The end that a move follows is no crash, even if the daemon is not there for what comes next.
  const { worker } = task;
  const isFollowed = isWork(order.to) || handsOver(task, order.to);
  if (isFollowed && worker.kind === 'ended' && !worker.isNoted) stamps['ended'] = worker.launchId;
  if (order.actor === 'daemon' && task.fields.status !== 'pending') {
    return { type: 'auto.advanced', ...ends, reason: order.reason, ...order.facts, ...stamps };
  }
  const why = order.reason === '' ? {} : { reason: order.reason };
  const by = order.actor === 'daemon' ? {} : { by: order.actor };
  return { type: 'status.changed', ...ends, ...by, ...why, ...order.facts, ...stamps };
}

/** Whether the worker has handed over and said goodbye in good order. */
function handsOver({ fields, worker }: TaskState, to: Status): boolean {
  if (worker.kind !== 'ended' || worker.exit.status !== 0) return false;
  return isWork(fields.status) && (to === 'agent-review' || to === 'reviewing');
}

function isWork(status: Status): boolean {
  return status === 'planning' || status === 'working';
}

function stampsOnEntering(task: TaskState, to: Status): RuntimeEdit {
  if (beginsWork(task.fields.status, to)) return { handoffStamp: task.artifacts.handoffDigest };
  return {};
}

type Entry = {
  readonly effects: readonly Effect[];
  readonly runtime: RuntimeEdit;
  readonly sections: readonly SectionEdit[];
};

const QUIET: RuntimeEdit = {
  undelivered: null,
  respawnAtMs: null,
  awaitsTurn: false,
  startTrouble: null,
  mergeTrouble: null,
  untoldAnswers: [],
};

function enterStatus(
  world: World,
  task: TaskState,
  order: MoveOrder & { readonly from: Status },
  moment: Moment,
): Entry {
  switch (order.to) {
    case 'planning':
    case 'working':
      return enterWork(world, task, order, moment);
    case 'agent-review':
      return enterReview(world, task, moment);
    case 'clarification':
    case 'reviewing':
    case 'stuck':
      return {
        effects: [
          ...endReviewer(task),
          ...(order.to === 'reviewing'
            ? [{ kind: 'mark-reviewed', taskId: task.fields.id } as const]
            : []),
          { kind: 'notify-human', taskId: task.fields.id, cause: order.to },
        ],
        runtime: { ...QUIET, reviewer: ABSENT },
        sections: [],
      };
    case 'pending':
    case 'done':
    case 'cancelled':
      return leaveWork(task, order);
  }
}

function enterWork(
  world: World,
  task: TaskState,
  order: MoveOrder & { readonly from: Status },
  moment: Moment,
): Entry {
  const ending = endReviewer(task);
  const runtime: RuntimeEdit = { ...QUIET, reviewer: ABSENT };
  const message = order.message ?? null;
  if (isRunning(task.worker)) {
    const session = task.fields.tmux_session;
    const telling: readonly Effect[] =
      message === null || session === null
        ? []
        : [{ kind: 'tell-agent', taskId: task.fields.id, session, window: WORKER_WINDOW, message }];
    return { effects: [...ending, ...telling], runtime, sections: [] };
  }
  const isResuming = task.worker.kind === 'ended';
  // An agent that planned and handed off before it ended has nothing left to be started for.
  if (order.from === 'planning' && isResuming && hasFreshHandoff(task)) {
    return { effects: ending, runtime, sections: [] };
  }
  if (mustWaitForRestart(world, task, order, moment)) {
    const due = { worker: markNoted(task.worker, moment), respawnAtMs: moment.monotonicMs };
    return { effects: ending, runtime: { ...runtime, ...due }, sections: [] };
  }
  const start = planStart(world, task, { role: 'worker', isResuming, message }, moment);
  if (start === null)
    return { effects: ending, runtime: { ...runtime, worker: ABSENT }, sections: [] };
  return {
    effects: [...ending, start.effect],
    runtime: { ...runtime, ...start.runtime },
    sections: [],
  };
}

/** Whether a worker that has ended may not be started in the same step, as nobody asked for it. */
function mustWaitForRestart(
  world: World,
  task: TaskState,
  { actor }: MoveOrder,
  moment: Moment,
): boolean {
  if (actor === 'human' || task.worker.kind !== 'ended') return false;
  return permitRestart(world, task, moment).kind !== 'now';
}

function markNoted(agent: AgentState, { timestamp }: Moment): AgentState {
  return agent.kind === 'ended' ? noteEnd(agent, timestamp) : agent;
}

function enterReview(world: World, task: TaskState, moment: Moment): Entry {
  const sections: readonly SectionEdit[] =
    task.artifacts.reviewDigest === null
      ? []
      : [
          {
            kind: 'move-out',
            section: 'Review',
            transcript: `review-${task.fields.review_round - 1}.md`,
          },
        ];
  const order = { role: 'reviewer', isResuming: false, message: null } as const;
  const start = planStart(world, task, order, moment);
  if (start === null) return { effects: [], runtime: { ...QUIET, reviewer: ABSENT }, sections };
  return { effects: [start.effect], runtime: { ...QUIET, ...start.runtime }, sections };
}

function leaveWork(task: TaskState, order: MoveOrder): Entry {
  const { id: taskId, tmux_session: session, workspace, branch } = task.fields;
  const deleteBranch = order.deleteBranch ?? false;
  const clearing: readonly Effect[] = deleteBranch
    ? [{ kind: 'delete-branch', taskId, branch }]
    : [];
  return {
    effects:
      workspace === null
        ? clearing
        : [{ kind: 'release-workspace', taskId, session, workspace, deleteBranch }],
    runtime: {
      ...QUIET,
      worker: ABSENT,
      reviewer: ABSENT,
      ...(workspace === null ? {} : { activity: 'releasing' as const }),
    },
    sections: [],
  };
}

function endReviewer(task: TaskState): readonly Effect[] {
  const { tmux_session: session, id } = task.fields;
  if (session === null || (task.reviewer.kind !== 'live' && task.reviewer.kind !== 'starting')) {
    return [];
  }
  return [{ kind: 'end-window', taskId: id, session, window: task.reviewer.window }];
}
