import type { Failure } from '../domain/failure.js';
import type { EventDraft } from '../domain/history-event.js';
import type { ManualLock, OverlapView, ReleaseReason } from '../domain/lock.js';
import type { LockRequest } from '../domain/request.js';
import { failed, success, type Result } from '../domain/result.js';
import { isTerminal } from '../domain/status.js';
import type { TaskState } from '../domain/world.js';
import { checkLocks } from '../engine/reservations/list-locks.js';
import { reservationsOf } from '../engine/reservations/reservations.js';
import { readScopes } from '../engine/reservations/scope.js';
import { settingsFor } from '../engine/world-queries.js';
import type { Clock, Files } from '../ports.js';
import { formatEvent, type HistoryLog } from '../record/history-log.js';
import { grantEvent, releaseEvent, replayLocks } from '../record/lock-events.js';
import type { Paths } from '../record/paths.js';
import { shortenReservations } from '../record/shorten-reservations.js';
import type { LiveWorld } from './live-world.js';
import { PlanLedger } from './plan-ledger.js';

type Parts = {
  readonly world: LiveWorld;
  readonly files: Files;
  readonly paths: Paths;
  readonly history: HistoryLog;
  readonly clock: Clock;
  newId(): string;
};

type Reserve = Extract<LockRequest, { kind: 'lock.reserve' }>;

/**
 * What is reserved by hand, and the leases of everything that is held. A lease only matters while no
 * daemon runs: it is renewed long before it ends, and what a Plan holds is known from the Plan.
 */
export class LockBook {
  readonly #parts: Parts;
  readonly #plans: PlanLedger;
  #renewedAtMs = 0;
  #shortenAt = LONG_BYTES;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#plans = new PlanLedger({ ...parts, append: (events) => this.#append(...events).ok });
  }

  /** When a lease of so many minutes ends that was last renewed with all others. */
  leaseEnd(ttlMinutes: number): string | null {
    return endOf(this.#renewedAtMs, ttlMinutes);
  }

  /** Takes up what an earlier daemon kept; leases that ended meanwhile are over. */
  load(): Result<void> {
    const { world, paths, history, clock } = this.#parts;
    const read = history.read(paths.reservationsFile);
    if (!read.ok) return read;
    const renewedAtMs = this.#readLease();
    for (const lock of replayLocks(read.value.events).values()) {
      world.locks.set(lock.id, lock.taskId === null ? lock : renewed(lock, renewedAtMs));
    }
    this.#plans.load(read.value.events);
    this.#renewedAtMs = clock.nowMs();
    this.#shorten();
    this.tidy();
    return success(undefined);
  }

  /** Who has something of these paths; what is no path of the repository nobody could have. */
  check(question: Parameters<typeof checkLocks>[1]): Result<readonly OverlapView[]> {
    const outside = findOutside(question.paths);
    return outside === null ? success(checkLocks(this.#parts.world, question)) : failed(outside);
  }

  /** One step: what has ended goes, what others have is looked at, and the whole set is granted. */
  reserve(request: Reserve): Result<ManualLock> {
    const { world, clock } = this.#parts;
    this.tidy();
    const { project, taskId, name, paths } = request;
    const task = taskId === null ? undefined : world.tasks.get(taskId);
    if (!world.projects.has(project)) {
      return failed({ kind: 'not-found', what: 'project', name: project });
    }
    if (
      taskId !== null &&
      (task === undefined || !isGoingOn(task) || task.fields.project !== project)
    ) {
      return failed({ kind: 'not-found', what: 'task', name: taskId });
    }
    const outside = findOutside(paths);
    if (outside !== null) return failed(outside);
    const { mode, ttlMinutes: ttl } = settingsFor(world, project).policy.reservations;
    const overlaps = mode === 'block' ? checkLocks(world, { project, taskId, paths }) : [];
    if (overlaps.length > 0) {
      const holders = overlaps.map(({ holder }) => holder);
      const taken = [...new Set(overlaps.flatMap((overlap) => overlap.paths))];
      const denied = { type: 'reservation.denied', project, paths: taken, holders };
      const noted = this.#append(denied);
      return noted.ok ? failed({ kind: 'reserved', holders, paths: taken }) : noted;
    }
    const ttlMinutes = request.ttlMinutes ?? ttl;
    const nowMs = clock.nowMs();
    const since = new Date(nowMs).toISOString();
    const lock = {
      id: `lock-${this.#parts.newId()}`,
      project,
      paths,
      taskId,
      name,
      since,
      ttlMinutes,
    };
    return this.#grant({ ...lock, expiresAt: endOf(nowMs, ttlMinutes) });
  }

  release(id: string, reason: ReleaseReason = 'explicit'): Result<void> {
    const { world } = this.#parts;
    if (!world.locks.has(id)) return failed({ kind: 'not-found', what: 'reservation', name: id });
    const noted = this.#append(releaseEvent(id, reason));
    if (noted.ok) world.locks.delete(id);
    return noted;
  }

  /** Renews leases when a third of one is over, and lets go of what nobody has a claim to. */
  tend(): boolean {
    const { world, clock, files, paths } = this.#parts;
    const nowMs = clock.nowMs();
    const dueMs = this.#shortestTtlMs() / 3;
    if (Math.abs(nowMs - this.#renewedAtMs) >= dueMs && reservationsOf(world).holders.length > 0) {
      this.#renewedAtMs = nowMs;
      for (const lock of world.locks.values()) {
        if (lock.taskId !== null) world.locks.set(lock.id, renewed(lock, nowMs));
      }
      // What cannot be written now is written when the next third is over.
      files.replace(
        paths.leaseFile,
        `${JSON.stringify({ renewed_at: new Date(nowMs).toISOString() })}\n`,
      );
    }
    this.#plans.note();
    return this.tidy();
  }

  /** Lets go of what has ended; true when there was something. */
  tidy(): boolean {
    const { world, clock } = this.#parts;
    const over = Array.from(world.locks.values(), (lock) => {
      const task = lock.taskId === null ? null : world.tasks.get(lock.taskId);
      return { id: lock.id, reason: endedBy(lock, task, clock.nowMs()) };
    });
    const released = over.filter(
      ({ id, reason }) => reason !== null && this.release(id, reason).ok,
    );
    return released.length > 0;
  }

  #grant(lock: ManualLock): Result<ManualLock> {
    const noted = this.#append(grantEvent(lock));
    if (!noted.ok) return noted;
    this.#parts.world.locks.set(lock.id, lock);
    return success(lock);
  }

  #append(...events: readonly EventDraft[]): Result<void> {
    const { history, paths, clock } = this.#parts;
    const timestamp = new Date(clock.nowMs()).toISOString();
    const lines = events.map((event) => formatEvent(event, timestamp));
    const appended = history.append(paths.reservationsFile, lines);
    if (!appended.ok) return appended;
    this.#shorten();
    return success(undefined);
  }

  /** Cuts what is over out of a record that has grown long. What does not work now is tried later. */
  #shorten(): void {
    const { files, paths } = this.#parts;
    const state = files.stat(paths.reservationsFile);
    if (!state.ok || state.value.kind !== 'file') return;
    if (state.value.stamp.size <= this.#shortenAt) return;
    const file = files.readText(paths.reservationsFile, MAX_RECORD_BYTES, 'lossy');
    const text = file.ok ? shortenReservations(file.value.text, KEPT_LENGTH) : null;
    const replaced = text === null ? null : files.replace(paths.reservationsFile, text);
    // Where all of it is still held it stays long, and is not gone through again at every line.
    const size = replaced?.ok === true ? replaced.value.size : state.value.stamp.size;
    this.#shortenAt = Math.max(LONG_BYTES, 2 * size);
  }

  #readLease(): number {
    const { files, paths } = this.#parts;
    const file = files.readText(paths.leaseFile, MAX_LEASE_BYTES, 'lossy');
    const when = file.ok ? /"renewed_at":\s*"([^"]+)"/.exec(file.value.text)?.[1] : undefined;
    const ms = when === undefined ? Number.NaN : Date.parse(when);
    return Number.isNaN(ms) ? 0 : ms;
  }

  #shortestTtlMs(): number {
    const { world } = this.#parts;
    const minutes = [
      ...Array.from(world.settings.values(), ({ policy }) => policy.reservations.ttlMinutes),
      ...Array.from(world.locks.values(), ({ ttlMinutes }) => ttlMinutes),
    ].filter((ttl) => ttl > 0);
    return Math.max(SHORTEST_MS, Math.min(...minutes, LONGEST_MINUTES) * 60_000);
  }
}

const MAX_LEASE_BYTES = 4096;
const MAX_RECORD_BYTES = 512 * 1024 * 1024;
const LONG_BYTES = 1024 * 1024;
const KEPT_LENGTH = 256 * 1024;
const SHORTEST_MS = 3000;
const LONGEST_MINUTES = 24 * 60;

function renewed(lock: ManualLock, nowMs: number): ManualLock {
  const expiresAt = endOf(nowMs, lock.ttlMinutes);
  const isLater = expiresAt !== null && lock.expiresAt !== null && expiresAt > lock.expiresAt;
  return isLater ? { ...lock, expiresAt } : lock;
}

function endOf(nowMs: number, ttlMinutes: number): string | null {
  return ttlMinutes === 0 ? null : new Date(nowMs + ttlMinutes * 60_000).toISOString();
}

function isGoingOn({ fields }: TaskState): boolean {
  return !isTerminal(fields.status);
}

/** Why nobody has a claim to a lock any more; null while somebody has. */
function endedBy(
  lock: ManualLock,
  task: TaskState | null | undefined,
  nowMs: number,
): ReleaseReason | null {
  if (task === undefined) return 'stale-owner';
  if (task !== null && isTerminal(task.fields.status)) return 'terminal';
  if (task?.fields.status === 'pending' && task.statusSince > lock.since) return 'requeued';
  return lock.expiresAt !== null && Date.parse(lock.expiresAt) <= nowMs ? 'expired' : null;
}

function findOutside(paths: readonly string[]): Failure | null {
  const value = paths.find((path) => readScopes([path]).length === 0);
  if (value === undefined) return null;
  const rule = 'a path inside the repository, or words without a slash or dot';
  const remedy = 'Write paths as they are from the top of the repository, e.g. src/auth/';
  return { kind: 'invalid-argument', argument: 'path', value, rule, remedy };
}
