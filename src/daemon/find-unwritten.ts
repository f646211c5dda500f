import { isAboutLateHistory } from '../domain/diagnostic.js';
import type { Unwritten } from '../domain/task-view.js';
import type { World } from '../domain/world.js';

/** What cannot be written down, by the first task that it happened to. */
export function findUnwritten(world: Pick<World, 'tasks'>): Unwritten | null {
  const late = [...world.tasks.values()].flatMap(
    ({ problems }) => problems.find(isAboutLateHistory) ?? [],
  );
  const [first] = late;
  return first === undefined ? null : { tasks: late.length, message: first.message };
}
