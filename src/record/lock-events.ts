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
  const held = new Map<string, readonly string[]>();
  for (const event of events) {
    const taskId = textOf(event['task_id']);
    if (taskId === null || event['id'] !== undefined) continue;
    if (event.type === 'reservation.granted') held.set(taskId, textsOf(event['paths']));
    if (event.type === 'reservation.released') held.delete(taskId);
  }
  return held;
}

/** What is still reserved after these events. Rows of other versions are passed over. */
export function replayLocks(events: readonly HistoryEvent[]): ReadonlyMap<string, ManualLock> {
  const locks = new Map<string, ManualLock>();
  for (const event of events) {
    const { id } = event;
    if (typeof id !== 'string' || !isLockId(id)) continue;
    if (event.type === 'reservation.granted') {
      const lock = readLock(id, event);
      if (lock !== null) locks.set(id, lock);
    } else if (event.type === 'reservation.released' || event.type === 'reservation.expired') {
      locks.delete(id);
    }
  }
  return locks;
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
