import type { Decision } from '../../domain/decision.js';
import type { TaskState } from '../../domain/world.js';
import type { Asked } from '../refuse-action.js';
import { decideUpdate, refuse } from '../update-task.js';
import { declaredPaths, isHolder, releaseKey } from './reservations.js';

/** Somebody takes from a task what its Plan holds, until it declares something else. */
export function unlockTask(task: TaskState, { actor: by }: Asked): Decision {
  const paths = declaredPaths(task);
  const released = releaseKey(paths);
  const { id } = task.fields;
  if (!isHolder(task) || paths.length === 0 || task.reservation.released === released) {
    return refuse({ kind: 'not-found', what: 'reservation', name: id }, id);
  }
  return decideUpdate(task, {
    events: [{ type: 'reservation.released', reason: 'explicit', paths, by }],
    runtime: { reservation: { ...task.reservation, released } },
  });
}
