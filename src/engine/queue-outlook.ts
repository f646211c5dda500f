import { findCycle, findTasksInCycles, type Blocking } from '../domain/blocking.js';
import { blockersOf } from '../domain/extensions.js';
import type { Status } from '../domain/status.js';
import type { TaskState, World } from '../domain/world.js';
import { findFreeWorkspaces, settingsFor, type FreeWorkspaces } from './world-queries.js';

/** What all waiting tasks of a world have in common, found once for all while it stays as it is. */
export type QueueOutlook = {
  readonly free: FreeWorkspaces;
  /** How many tasks are at work over all projects, and how many may be; null is no limit. */
  readonly active: { readonly count: number; readonly max: number | null };
  /** The way from a task along its blockers back to itself, or null. */
  cycleOf(taskId: string): readonly string[] | null;
};

export function surveyQueue(world: World): QueueOutlook {
  const max = settingsFor(world, '').queue.maxActiveTasks;
  let inCycles: ReadonlySet<string> | null = null;
  let free: FreeWorkspaces | null = null;
  return {
    get free() {
      free ??= findFreeWorkspaces(world);
      return free;
    },
    active: { count: max === null ? 0 : countActive(world), max },
    cycleOf: (taskId) => {
      inCycles ??= findTasksInCycles(world.tasks.keys(), waitingIn(world));
      return inCycles.has(taskId) ? findCycle(waitingIn(world), taskId) : null;
    },
  };
}

/** Statuses in which an agent works, or goes on as soon as it is answered. */
const AT_WORK: ReadonlySet<Status> = new Set([
  'planning',
  'clarification',
  'working',
  'agent-review',
]);

function countActive(world: World): number {
  return [...world.tasks.values()].filter(isActive).length;
}

function isActive({ fields, activity }: TaskState): boolean {
  return AT_WORK.has(fields.status) || activity === 'starting';
}

/** Only a task that is pending waits for its blockers; whatever else it says, any other goes on. */
function waitingIn(world: World): Blocking {
  return (taskId) => {
    const task = world.tasks.get(taskId);
    return task?.fields.status === 'pending' ? blockersOf(task.extensions) : [];
  };
}
