import type { Attention } from '../domain/attention.js';
import type { Finalization } from '../domain/finalization.js';
import type { HistoryEvent } from '../domain/history-event.js';
import { describeLastTrouble } from '../domain/describe-trouble.js';
import { readFinalization } from '../domain/read-finalization.js';
import { beginsWork } from './gates.js';
import { ANSWER_TYPES, replayAnswers } from './replay-answers.js';
import { ATTENTION_TYPES, replayAttention } from '../domain/replay-attention.js';
import { FEEDBACK_TYPES, replayFeedback } from './replay-feedback.js';
import { GATE_TYPES, replayGates } from './replay-gates.js';
import { MESSAGE_TYPES, replayMessage } from './replay-message.js';
import { RESERVATION_TYPES, replayReservation } from './reservations/replay-reservations.js';
import { NO_RESERVATION, type ReservationFacts } from '../domain/lock.js';
import {
  NO_FEEDBACK,
  NO_GATES,
  type FeedbackFacts,
  type GateFacts,
  type GivenAnswer,
  type Undelivered,
} from '../domain/world.js';
import { isStatus, isTerminal, type Status } from '../domain/status.js';

/** What a task's history says about it: everything that must outlive the daemon and is in no field. */
export type Replay = {
  /** The status after the last move, or null when there is no trace of one. */
  readonly status: Status | null;
  readonly cameFrom: Status | null;
  readonly statusSince: string | null;
  readonly handoffStamp: string | null;
  readonly reviewStartedRound: number;
  readonly stuckBecause: string | null;
  /** What was last said of how the agent gets on, while nothing has ended it. */
  readonly attention: Attention | null;
  /** What the worker could not be told, while that still matters. */
  readonly undelivered: Undelivered | null;
  readonly untoldAnswers: readonly GivenAnswer[];
  readonly gates: GateFacts;
  readonly feedback: FeedbackFacts;
  readonly reservation: ReservationFacts;
  readonly keptEdit: string | null;
  readonly keptEditSince: string | null;
  readonly finalized: Finalization | null;
  readonly failedChecks: number;
  /** The worktree and session the task was last started in, while it has not been freed. */
  readonly place: { readonly workspace: string; readonly tmux_session: string } | null;
  /** Launches whose end has been dealt with, as any of `ENDS` or by a move; and when. */
  readonly notedLaunches: ReadonlyMap<string, string>;
  /** When agents were last started again. */
  readonly restarts: readonly string[];
};

const NO_REPLAY: Replay = {
  status: null,
  cameFrom: null,
  statusSince: null,
  handoffStamp: null,
  reviewStartedRound: 0,
  stuckBecause: null,
  attention: null,
  undelivered: null,
  untoldAnswers: [],
  gates: NO_GATES,
  feedback: NO_FEEDBACK,
  reservation: NO_RESERVATION,
  keptEdit: null,
  keptEditSince: null,
  finalized: null,
  failedChecks: 0,
  place: null,
  notedLaunches: new Map(),
  restarts: [],
};

/** Reads a history from its first to its last event. Rows of other versions are passed over. */
export function replayHistory(events: readonly HistoryEvent[]): Replay {
  const notedLaunches = new Map(events.flatMap(notedLaunch));
  const attention = events.reduce(replayAttention, null);
  const undelivered = events.reduce(replayMessage, null);
  const replay = {
    ...events.reduce(replayEvent, NO_REPLAY),
    notedLaunches,
    attention,
    undelivered,
    untoldAnswers: events.reduce(replayAnswers, []),
    gates: events.reduce(replayGates, NO_GATES),
    feedback: events.reduce(replayFeedback, NO_FEEDBACK),
    reservation: events.reduce(replayReservation, NO_RESERVATION),
  };
  if (replay.status !== 'stuck') return replay;
  return { ...replay, stuckBecause: describeLastTrouble(events) };
}

type Step = (replay: Replay, event: HistoryEvent) => Replay;

const STEPS: ReadonlyMap<string, Step> = new Map<string, Step>([
  [
    'task.created',
    (replay, event) => ({ ...replay, status: 'pending', statusSince: event.timestamp }),
  ],
  ['status.changed', replayMove],
  ['auto.advanced', replayMove],
  ['agent.spawned', replaySpawn],
  ['review.started', replayReview],
  ['progress.reported', replayReport],
  ['task.finalized', (replay, event) => ({ ...replay, finalized: readFinalization(event) })],
  ['check.ran', replayCheck],
  ['edit.kept', replayKept],
]);

const MOVES: ReadonlySet<string> = new Set(['status.changed', 'auto.advanced']);
/** May have ended the agent that was to make room. */
const FAILED_START = 'spawn.failed';
const ENDS: ReadonlySet<string> = new Set(['agent.crashed', 'agent.interrupted', 'agent.ended']);

const PASSING_TYPES: ReadonlySet<string> = new Set([
  'agent.resumed',
  'agent.stalled',
  'agent.waiting',
  'progress.polled',
  'progress.reported',
]);

/** The types of all events that say anything here. */
export const REPLAYED_TYPES: ReadonlySet<string> = new Set([
  ...STEPS.keys(),
  ...ENDS,
  FAILED_START,
  ...ATTENTION_TYPES,
  ...MESSAGE_TYPES,
  ...ANSWER_TYPES,
  ...GATE_TYPES,
  ...FEEDBACK_TYPES,
  ...RESERVATION_TYPES,
]);

/** Those without which a task could not be taken up again; how an agent gets on is seen anew. */
export const LASTING_TYPES: ReadonlySet<string> = new Set(
  [...REPLAYED_TYPES].filter((type) => !PASSING_TYPES.has(type)),
);

function replayEvent(replay: Replay, event: HistoryEvent): Replay {
  return STEPS.get(event.type)?.(replay, event) ?? replay;
}

function replaySpawn(replay: Replay, event: HistoryEvent): Replay {
  const workspace = textFact(event, 'workspace');
  const session = textFact(event, 'tmux_session');
  if (workspace === null || session === null) return replay;
  const known = replay.place === null ? replay : noteRestart(replay, event);
  return { ...known, place: { workspace, tmux_session: session } };
}

function replayKept(replay: Replay, event: HistoryEvent): Replay {
  const keptEdit = textFact(event, 'transcript');
  return { ...replay, keptEdit, keptEditSince: event.timestamp };
}

/** Only a person can have looked at what was kept. */
const NOTHING_KEPT = { keptEdit: null, keptEditSince: null };

function replayReport(replay: Replay, event: HistoryEvent): Replay {
  return event['by'] === 'human' ? { ...replay, ...NOTHING_KEPT } : replay;
}

/** A Handoff whose checks failed counts only once it has changed. */
function replayCheck(replay: Replay, event: HistoryEvent): Replay {
  const handoffStamp = textFact(event, 'handoff_stamp');
  if (handoffStamp === null) return replay;
  return { ...replay, handoffStamp, failedChecks: replay.failedChecks + 1 };
}

function replayReview(replay: Replay, event: HistoryEvent): Replay {
  const round = event['round'];
  if (typeof round !== 'number') return replay;
  const isFirst = round !== replay.reviewStartedRound;
  return { ...(isFirst ? replay : noteRestart(replay, event)), reviewStartedRound: round };
}

function notedLaunch(event: HistoryEvent): readonly (readonly [string, string])[] {
  const name = endedIn(event);
  const launch = name === null ? null : textFact(event, name);
  return launch === null ? [] : [[launch, event.timestamp]];
}

/** Which fact of an event names a launch that is over. */
function endedIn({ type }: HistoryEvent): string | null {
  if (MOVES.has(type)) return 'ended';
  if (ENDS.has(type)) return 'launch';
  return type === FAILED_START ? 'replaced' : null;
}

function replayMove(replay: Replay, event: HistoryEvent): Replay {
  const to = textFact(event, 'to');
  const from = textFact(event, 'from');
  if (to === null || !isStatus(to)) return replay;
  const isFreed = isTerminal(to) || to === 'pending';
  const moved: Replay = {
    ...replay,
    place: isFreed ? null : replay.place,
    status: to,
    ...(event['by'] === 'human' ? NOTHING_KEPT : {}),
    finalized: null,
    failedChecks: 0,
    cameFrom: from !== null && isStatus(from) ? from : null,
    statusSince: event.timestamp,
  };
  if (beginsWork(moved.cameFrom, to))
    return { ...moved, handoffStamp: textFact(event, 'handoff_stamp') };
  return moved;
}

function noteRestart(replay: Replay, { timestamp }: HistoryEvent): Replay {
  return { ...replay, restarts: [...replay.restarts, timestamp].slice(-MAX_RESTARTS) };
}

// More than any limit on restarts looks at.
const MAX_RESTARTS = 10;

function textFact(event: HistoryEvent, name: string): string | null {
  const value = event[name];
  return typeof value === 'string' ? value : null;
}
