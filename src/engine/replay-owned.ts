import type { HistoryEvent } from '../domain/history-event.js';
import { isStatus, isTerminal } from '../domain/status.js';
import type { TaskFields } from '../domain/task.js';
import { believeUpdateTime } from './believe-update-time.js';

type Place = Pick<TaskFields, 'workspace' | 'tmux_session'>;

/** What the engine alone sets in a task's file, as far as the history tells: null is not known. */
type Owned = {
  readonly status: TaskFields['status'] | null;
  readonly createdAt: string | null;
  readonly reviewRound: number | null;
  readonly crashCount: number | null;
  /** Where the task was last started; both null before its first start. */
  readonly place: Place | null;
  /** Whether that place is being given back, or has been. */
  readonly isLeft: boolean;
};

const NOTHING_KNOWN: Owned = {
  status: null,
  createdAt: null,
  reviewRound: null,
  crashCount: null,
  place: null,
  isLeft: false,
};

const NOWHERE: Place = { workspace: null, tmux_session: null };

/**
 * The fields of a file with those put right that its history knows better, because only the engine
 * sets them, and each time with an event. Histories that were begun by other versions, or of which
 * something is lost, know less: there the file counts.
 */
export function putOwnedRight(
  fields: TaskFields,
  history: {
    readonly events: readonly HistoryEvent[];
    /** Whether there are lines that cannot be read. */
    readonly hasGaps: boolean;
    readonly now: string;
  },
): TaskFields {
  const { events, hasGaps } = history;
  const told = hasGaps ? events.filter(({ type }) => type !== 'task.created') : events;
  const owned = told.reduce(replayEvent, NOTHING_KNOWN);
  const status = owned.status ?? fields.status;
  const updated_at = believeUpdateTime(fields.updated_at, history);
  const placed = { ...fields, status, updated_at, ...placeOf(owned, fields) };
  // Nobody watches the files of finished tasks, and their counters count nothing any more.
  if (isTerminal(status) || hasGaps) return placed;
  return {
    ...placed,
    created_at: owned.createdAt ?? fields.created_at,
    review_round: owned.reviewRound ?? fields.review_round,
    crash_count: owned.crashCount ?? fields.crash_count,
  };
}

/** A worktree that a task has left it may still hold, until it is clean; any other one it may not. */
function placeOf({ place, isLeft }: Owned, fields: TaskFields): Place | null {
  if (place === null || !isLeft) return place;
  return fields.workspace === place.workspace ? place : NOWHERE;
}

function replayEvent(owned: Owned, event: HistoryEvent): Owned {
  switch (event.type) {
    case 'task.created':
      return replayCreation(owned, event);
    case 'status.changed':
    case 'auto.advanced':
      return replayMove(owned, event);
    case 'agent.spawned':
      return replaySpawn(owned, event);
    case 'agent.crashed':
      return { ...owned, crashCount: countFact(event, 'crash_count') };
    case 'review.started':
      return { ...owned, reviewRound: countFact(event, 'round') };
    default:
      return owned;
  }
}

/** Only a creation that names the status tells how the task began. */
function replayCreation(owned: Owned, event: HistoryEvent): Owned {
  const { status } = event;
  if (typeof status !== 'string' || !isStatus(status)) return owned;
  return {
    status,
    createdAt: event.timestamp,
    reviewRound: countFact(event, 'review_round') ?? 0,
    crashCount: countFact(event, 'crash_count') ?? 0,
    place: status === 'pending' ? NOWHERE : null,
    isLeft: false,
  };
}

function replayMove(owned: Owned, { to }: HistoryEvent): Owned {
  if (typeof to !== 'string' || !isStatus(to)) return owned;
  const { reviewRound, crashCount } = owned;
  return {
    ...owned,
    status: to,
    crashCount: to === 'stuck' ? crashCount : 0,
    reviewRound: to === 'agent-review' && reviewRound !== null ? reviewRound + 1 : reviewRound,
    isLeft: owned.isLeft || isTerminal(to) || to === 'pending',
  };
}

function replaySpawn(owned: Owned, { workspace, tmux_session }: HistoryEvent): Owned {
  if (typeof workspace !== 'string' || typeof tmux_session !== 'string') return owned;
  return { ...owned, place: { workspace, tmux_session }, isLeft: false };
}

function countFact(event: HistoryEvent, name: string): number | null {
  const value = event[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
