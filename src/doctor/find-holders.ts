import type { TaskState, World } from '../domain/world.js';

/** The task that has each worktree, or to which it is promised. */
export function findHolders(world: World): ReadonlyMap<string, TaskState> {
  const holders = new Map<string, TaskState>();
  for (const task of world.tasks.values()) {
    const workspace = task.fields.workspace ?? task.reservedWorkspace;
    if (workspace !== null) holders.set(workspace, task);
  }
  return holders;
}
