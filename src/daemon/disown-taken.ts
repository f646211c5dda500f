import type { HistoryEvent } from '../domain/history-event.js';
import type { TaskState } from '../domain/world.js';
import { replayHistory } from '../engine/replay-history.js';
import type { LiveWorld } from './live-world.js';

/** Whether the history knows how the task came to its worktree, if it has one. */
export function hasTakenIts({ fields }: TaskState, events: readonly HistoryEvent[]): boolean {
  if (fields.workspace === null) return true;
  return replayHistory(events).place?.workspace === fields.workspace;
}

/**
 * A worktree that two tasks name is of the one whose history took it. One that has it by the word of
 * its file alone only claims it, and is judged like any other claim.
 */
export function disownTaken(world: LiveWorld, claimants: readonly string[]): void {
  if (claimants.length === 0) return;
  const claiming = new Set(claimants);
  const taken = new Set(
    [...world.tasks.values()]
      .filter(({ fields }) => !claiming.has(fields.id))
      .map(({ fields, reservedWorkspace }) => fields.workspace ?? reservedWorkspace),
  );
  for (const id of claimants) {
    const task = world.tasks.get(id);
    if (task === undefined || !taken.has(task.fields.workspace)) continue;
    const { fields, extensions, context } = task;
    world.putTask({
      ...task,
      fields: { ...fields, workspace: null, tmux_session: null },
      claims: task.claims ?? { fields, extensions, context },
      activity: task.activity === 'releasing' ? null : task.activity,
    });
  }
}
