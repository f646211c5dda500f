import { findBlockingPath, type Blocking } from '../domain/blocking.js';
import { blockersOf, listOf } from '../domain/extensions.js';
import type { Failure } from '../domain/failure.js';
import type { FrontmatterValue } from '../domain/task.js';
import type { World } from '../domain/world.js';

/** Why a task may not wait for these: they must exist, not be itself, and not wait for it in turn. */
export function refuseBlockers(
  world: World,
  taskId: string,
  blockedBy: FrontmatterValue | undefined,
): Failure | null {
  for (const id of listOf(blockedBy)) {
    if (id === taskId) return { kind: 'blocked-by-self', taskId };
    if (!world.tasks.has(id)) return { kind: 'not-found', what: 'task', name: id };
    const path = findBlockingPath(blockingIn(world), id, taskId);
    if (path !== null) return { kind: 'blocking-cycle', path: [taskId, ...path] };
  }
  return null;
}

/** Whom each task of a world waits for, whatever became of them. */
export function blockingIn(world: World): Blocking {
  return (taskId) => {
    const task = world.tasks.get(taskId);
    return task === undefined ? [] : blockersOf(task.extensions);
  };
}
