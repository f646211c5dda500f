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
    const path = findPath(world, id, taskId);
    if (path !== null) return { kind: 'blocking-cycle', path: [taskId, ...path] };
  }
  return null;
}

function findPath(world: World, from: string, to: string): readonly string[] | null {
  const seen = new Set<string>();
  const open: (readonly string[])[] = [[from]];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const last = path[path.length - 1] ?? from;
    if (last === to) return path;
    if (seen.has(last)) continue;
    seen.add(last);
    const task = world.tasks.get(last);
    for (const next of task === undefined ? [] : blockersOf(task.extensions)) {
      open.push([...path, next]);
    }
  }
  return null;
}
