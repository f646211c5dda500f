import type { EventDraft, HistoryEvent } from '../domain/history-event.js';
import { isLockId, type ManualLock, type ReleaseReason } from '../domain/lock.js';

/** The event by which something is reserved by hand. */
export function grantEvent(lock: ManualLock): EventDraft {
  return {
    type: 'reservation.granted',
    id: lock.id,
    project: lock.project,
    paths: lock.paths,
    ...(lock.taskId === null ? {} : { task_id: lock.taskId }),
    ...(lock.name === null ? {} : { name: lock.name }),
    ttl_minutes: lock.ttlMinutes,
    expires_at: lock.expiresAt,
  };
}

export function releaseEvent(id: string, reason: ReleaseReason): EventDraft {
  const type = reason === 'expired' ? 'reservation.expired' : 'reservation.released';
  return { type, id, reason };
}

/** The event by which the Plan of a task takes what it names. */
export function planGrantEvent(
  taskId: string,
  project: string,
  paths: readonly string[],
): EventDraft {
  return { type: 'reservation.granted', task_id: taskId, project, paths };
}

export function planReleaseEvent(taskId: string, reason: ReleaseReason): EventDraft {
  return { type: 'reservation.released', task_id: taskId, reason };
}

/** What Plans held according to these events, by task. */
export function replayPlanGrants(
  events: readonly HistoryEvent[],
): ReadonlyMap<string, readonly string[]> {
  const { plans } = replayGrants(events);
  return new Map(Array.from(plans, ([taskId, event]) => [taskId, textsOf(event['paths'])]));
}

/** What is still reserved after these events. Rows of other versions are passed over. */
export function replayLocks(events: readonly HistoryEvent[]): ReadonlyMap<string, ManualLock> {
  const locks = Array.from(replayGrants(events).locks, ([id, event]) => readLock(id, event));
  return new Map(locks.flatMap((lock) => (lock === null ? [] : [[lock.id, lock] as const])));
}

/** The events by which something is held that nobody has let go of since. */
export function openGrants(events: readonly HistoryEvent[]): readonly HistoryEvent[] {
  const { locks, plans } = replayGrants(events);
  return [...locks.values(), ...plans.values()];
}

type Grants = ReadonlyMap<string, HistoryEvent>;

/** The last grants of what is held: by hand, by the id of the lock, and by Plans, by task. */
function replayGrants(events: readonly HistoryEvent[]): {
  readonly locks: Grants;
  readonly plans: Grants;
} {
  const locks = new Map<string, HistoryEvent>();
  const plans = new Map<string, HistoryEvent>();
  for (const event of events) {
    const { id, type } = event;
    const taskId = textOf(event['task_id']);
    const isOver = type === 'reservation.released' || type === 'reservation.expired';
    if (typeof id === 'string' && isLockId(id)) {
      if (type === 'reservation.granted' && readLock(id, event) !== null) locks.set(id, event);
      else if (isOver) locks.delete(id);
    } else if (id === undefined && taskId !== null) {
      if (type === 'reservation.granted') plans.set(taskId, event);
      else if (type === 'reservation.released') plans.delete(taskId);
    }
  }
  return { locks, plans };
}

function readLock(id: string, event: HistoryEvent): ManualLock | null {
  const { project, paths, ttl_minutes: ttl } = event;
  if (typeof project !== 'string' || !Array.isArray(paths)) return null;
  return {
    id,
    project,
    paths: textsOf(paths),
    taskId: textOf(event['task_id']),
    name: textOf(event['name']),
    since: event.timestamp,
    expiresAt: textOf(event['expires_at']),
    ttlMinutes: typeof ttl === 'number' && ttl > 0 ? ttl : 0,
  };
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value)
    ? value.filter((each): each is string => typeof each === 'string')
    : [];
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
