import type { Moment } from '../domain/observation.js';
import type { TaskState, World } from '../domain/world.js';

/** Whether orange may start an agent again by itself, and when; times are monotonic. */
export type Permit =
  | { readonly kind: 'now' }
  /** Others come first: all tasks together are started again only so often. */
  | { readonly kind: 'wait'; readonly untilMs: number }
  | { readonly kind: 'too-often'; readonly restarts: number };

const WINDOW_MS = 60_000;
const TASK_LIMIT = 3;
const POOL_LIMIT = 10;
// Agents that start at the same moment get in each other's way.
const SPREAD_MS = 1000;

/**
 * At most 3 restarts of a task in 60 s, whatever its back-off, and 10 of all tasks together, one
 * after the other. People may restart as often as they like, but what they do counts.
 */
export function permitRestart(world: World, task: TaskState, moment: Moment): Permit {
  const nowMs = moment.monotonicMs;
  const own = recent(task.restarts, nowMs).length;
  if (own >= TASK_LIMIT) return { kind: 'too-often', restarts: own };
  const turnMs = task.awaitsTurn
    ? soonest(allRestarts(world, nowMs), nowMs)
    : soonest([...allRestarts(world, nowMs), ...promisedTurns(world)], nowMs, SPREAD_MS);
  return turnMs <= nowMs ? { kind: 'now' } : { kind: 'wait', untilMs: turnMs };
}

/** The restarts of a task that still count, with the one that begins now. */
export function withRestart(task: TaskState, { monotonicMs }: Moment): readonly number[] {
  return [...recent(task.restarts, monotonicMs), monotonicMs];
}

/**
 * Restarts from before the daemon was started, turned from wall time to monotonic time. The wall
 * clock may have been set since: what seems to lie in the future says nothing.
 */
export function restoreRestarts(
  wallTimes: readonly number[],
  { nowMs, monotonicMs }: Pick<Moment, 'nowMs' | 'monotonicMs'>,
): readonly number[] {
  return wallTimes
    .map((atMs) => nowMs - atMs)
    .filter((age) => age >= 0 && age < WINDOW_MS)
    .map((age) => monotonicMs - age);
}

/** The soonest moment that keeps its distance from the last and makes no eleventh in a window. */
function soonest(taken: readonly number[], nowMs: number, distanceMs = 0): number {
  const inOrder = taken.toSorted((one, other) => one - other);
  const last = inOrder.at(-1) ?? -Infinity;
  const full = inOrder.at(-POOL_LIMIT) ?? -Infinity;
  return Math.max(nowMs, last + distanceMs, full + WINDOW_MS);
}

function allRestarts(world: World, nowMs: number): readonly number[] {
  return [...world.tasks.values()].flatMap(({ restarts }) => recent(restarts, nowMs));
}

function promisedTurns(world: World): readonly number[] {
  return [...world.tasks.values()].flatMap(({ awaitsTurn, respawnAtMs }) =>
    awaitsTurn && respawnAtMs !== null ? [respawnAtMs] : [],
  );
}

function recent(restarts: readonly number[], nowMs: number): readonly number[] {
  return restarts.filter((atMs) => nowMs - atMs < WINDOW_MS);
}
