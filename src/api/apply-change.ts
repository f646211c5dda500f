import type { Snapshot, TaskView } from '../domain/task-view.js';
import type { Change } from './protocol.js';

/** The snapshot after a push: changed tasks keep their place, new ones come last. */
export function applyChange(snapshot: Snapshot, change: Change): Snapshot {
  const queue = change.queue ?? snapshot.queue;
  return {
    tasks: mergeTasks(snapshot.tasks, change),
    projects: change.projects ?? snapshot.projects,
    workspaces: change.workspaces ?? snapshot.workspaces,
    problems: change.problems ?? snapshot.problems,
    ...(queue === undefined ? {} : { queue }),
  };
}

function mergeTasks(tasks: readonly TaskView[], change: Change): readonly TaskView[] {
  if (change.tasks.length === 0 && change.removed.length === 0) return tasks;
  const merged = new Map(tasks.map((task) => [task.fields.id, task]));
  for (const id of change.removed) merged.delete(id);
  for (const task of change.tasks) merged.set(task.fields.id, task);
  return [...merged.values()];
}
