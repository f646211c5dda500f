import type { Decision } from '../../domain/decision.js';
import type { Effect } from '../../domain/effect.js';
import type { MoveRefusal } from '../../domain/move-refusal.js';
import type { EventDraft } from '../../domain/history-event.js';
import type { Moment } from '../../domain/observation.js';
import { WORKER_WINDOW } from '../../domain/session.js';
import type { Status } from '../../domain/status.js';
import type { TaskState, World } from '../../domain/world.js';
import { decideUpdate } from '../update-task.js';
import { settingsFor } from '../world-queries.js';
import { declaredPaths, isHolder, reservationsOf, type Overlap } from './reservations.js';
import { readScopes } from './scope.js';

/**
 * Who keeps a task from what it declares, where reservations block. It takes all of it at once or
 * nothing, so whoever waits holds nothing that another could wait for.
 */
export function inTheWay(world: World, task: TaskState): readonly Overlap[] {
  const { id, project } = task.fields;
  if (settingsFor(world, project).policy.reservations.mode !== 'block' || isHolder(task)) return [];
  const scopes = readScopes(declaredPaths(task));
  if (scopes.length === 0) return [];
  return reservationsOf(world)
    .find({ id, project, scopes })
    .filter(({ isBlocking }) => isBlocking);
}

/** Why a move that takes files has to wait for what others hold, or null. */
export function refuseReserved(world: World, task: TaskState, to: Status): MoveRefusal | null {
  if (to !== 'working') return null;
  const others = inTheWay(world, task);
  if (others.length === 0) return null;
  return {
    kind: 'reserved',
    holders: others.map(({ holder }) => holder),
    paths: [...new Set(others.flatMap(({ paths }) => paths))],
  };
}

/** A Plan that has to wait for others: that is written down and told to its worker once. */
export function denyPlan(
  task: TaskState,
  others: readonly Overlap[],
  moment: Moment,
): Decision | null {
  if (task.reservation.deniedSince !== null) return null;
  const events: readonly EventDraft[] = [
    {
      type: 'reservation.denied',
      with: others.map(({ id }) => id),
      holders: others.map(({ holder }) => holder),
      paths: [...new Set(others.flatMap(({ paths }) => paths))],
    },
  ];
  const reservation = { ...task.reservation, deniedSince: moment.timestamp };
  return decideUpdate(task, { events, runtime: { reservation } }, tellOfOverlap(task, others));
}

/** Tasks whose Plans wait for others, the one that has waited longest first. */
export function heldBack(world: World): readonly TaskState[] {
  const waiting = [...world.tasks.values()].filter(
    ({ fields, reservation }) => fields.status === 'planning' && reservation.deniedSince !== null,
  );
  return waiting.toSorted((one, other) => (sinceOf(one) < sinceOf(other) ? -1 : 1));
}

function sinceOf({ reservation, fields }: TaskState): string {
  return `${reservation.deniedSince ?? ''} ${fields.id}`;
}

/** A worker that is at work hears of it; one that waits for a review is left alone. */
export function tellOfOverlap(task: TaskState, others: readonly Overlap[]): readonly Effect[] {
  const { id: taskId, tmux_session: session, status } = task.fields;
  const isAtWork = status === 'planning' || status === 'working';
  if (session === null || task.worker.kind !== 'live' || !isAtWork) return [];
  const message = {
    kind: 'overlap',
    mustWait: status === 'planning',
    others: others.map(({ holder, paths }) => ({ holder, paths: paths.slice(0, MOST_PATHS) })),
  } as const;
  return [{ kind: 'tell-agent', taskId, session, window: WORKER_WINDOW, message }];
}

const MOST_PATHS = 20;
