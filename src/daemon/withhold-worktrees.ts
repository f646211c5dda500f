import type { BoundRow } from '../domain/pool.js';
import { isTaskId } from '../domain/task-id.js';
import type { Files } from '../ports.js';
import type { Paths } from '../record/paths.js';
import { projectOf } from './build-view.js';
import type { LiveWorld } from './live-world.js';

type Parts = {
  readonly world: LiveWorld;
  readonly files: Pick<Files, 'stat'>;
  readonly paths: Pick<Paths, 'taskDir'>;
};

/**
 * Sees that nobody is given the worktree of a task that is there but cannot be read: only .pool.json
 * still knows whose it is. What is in it stays as it is until the task can be read, or is gone.
 */
export function withholdWorktrees(parts: Parts, bound: ReadonlyMap<string, BoundRow>): void {
  for (const [workspace, row] of bound) {
    if (isUnread(parts, workspace, row)) parts.world.withheld.set(workspace, row);
  }
}

/** Lets go of worktrees whose tasks can be read by now, or are gone. */
export function releaseWithheld(parts: Parts): void {
  const { world } = parts;
  for (const [workspace, row] of world.withheld) {
    if (isUnread(parts, workspace, row)) continue;
    world.withheld.delete(workspace);
    // What is in one that nobody has any more is saved before the next task gets it.
    if (!world.tasks.has(row.task_id ?? '') && !isHeld(world, workspace))
      world.quarantined.set(workspace, ITS_TASK_IS_GONE);
  }
}

const ITS_TASK_IS_GONE = { reason: 'its task is gone', failures: 0 };

function isUnread({ world, files, paths }: Parts, workspace: string, row: BoundRow): boolean {
  const { task_id: id } = row;
  const project = projectOf(world, workspace);
  if (id === undefined || project === null || world.tasks.has(id) || !isTaskId(id)) return false;
  if (isHeld(world, workspace)) return false;
  const state = files.stat(paths.taskDir(project, id));
  return !state.ok || state.value.kind !== 'absent';
}

/** Whether a task that can be read has it, whatever .pool.json says. */
function isHeld({ tasks }: LiveWorld, workspace: string): boolean {
  return [...tasks.values()].some(({ fields }) => fields.workspace === workspace);
}
