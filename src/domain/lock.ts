import type { Status } from './status.js';

/** What is known of how a task's files and those of others overlap; derived anew, this is the rest. */
export type ReservationFacts = {
  /** Those it has been warned of: ids of tasks and of locks. */
  readonly warnedOf: readonly string[];
  /** Since when its Plan waits for what others hold, ISO 8601. */
  readonly deniedSince: string | null;
  /** What it declared when somebody released it by hand; that is held no longer. */
  readonly released: string | null;
  /** Files that it changed and did not declare; null until that has been looked at. */
  readonly drift: Drift | null;
};

export type Drift = {
  /** The first of them. */
  readonly paths: readonly string[];
  readonly count: number;
};

export const NO_RESERVATION: ReservationFacts = {
  warnedOf: [],
  deniedSince: null,
  released: null,
  drift: null,
};

/** Others have files that somebody wants. */
export type Reserved = {
  readonly kind: 'reserved';
  readonly holders: readonly string[];
  readonly paths: readonly string[];
};

/** Paths that somebody reserved by hand, for a task or for a person. */
export type ManualLock = {
  /** `lock-` and some letters: never to be mistaken for a task's id. */
  readonly id: string;
  readonly project: string;
  readonly paths: readonly string[];
  readonly taskId: string | null;
  /** Whose it is, where that is no task. */
  readonly name: string | null;
  /** ISO 8601. */
  readonly since: string;
  /** ISO 8601; null: it does not expire. A task's is renewed while the task goes on. */
  readonly expiresAt: string | null;
  /** How long a lease is; 0: for ever. */
  readonly ttlMinutes: number;
};

/** Why somebody holds something no longer. */
export type ReleaseReason = 'explicit' | 'terminal' | 'requeued' | 'expired' | 'stale-owner';

export function isLockId(text: string): boolean {
  return /^lock-[A-Za-z0-9]{4,32}$/.test(text);
}

/** Another holder of something, by the name that people know it by. */
export type OverlapView = {
  /** The id of a task, or of a lock that was made by hand. */
  readonly id: string;
  readonly task_id: string | null;
  /** project/branch, or the name of a person. */
  readonly holder: string;
  /** The paths of the one who asks that both have. */
  readonly paths: readonly string[];
  /** For each of them what the holder has there, in the holder's words. */
  readonly held: readonly string[];
};

/** One row of `orange locks list`. */
export type LockView = {
  readonly id: string;
  readonly kind: 'plan' | 'manual';
  readonly project: string;
  readonly task_id: string | null;
  readonly holder: string;
  readonly status: Status | null;
  readonly paths: readonly string[];
  readonly since: string;
  /** ISO 8601; null: it does not expire. */
  readonly expires_at: string | null;
  readonly overlaps: readonly OverlapView[];
  readonly drift: number;
};
