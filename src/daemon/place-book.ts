import type { LiveWorld } from './live-world.js';

/** Remembers who has which worktree, so that the pool is gone over only when that has changed. */
export class PlaceBook {
  readonly #places = new Map<string, string>();
  #made = -1;
  #setAside = -1;

  /** Whether the pool may have changed since the last time, given the tasks that did. */
  note(world: LiveWorld, touched: readonly string[]): boolean {
    let hasChanged = this.#made !== world.worktrees.size;
    hasChanged ||= this.#setAside !== world.quarantined.size;
    this.#made = world.worktrees.size;
    this.#setAside = world.quarantined.size;
    for (const taskId of touched) {
      const place = placeOf(world, taskId);
      if ((this.#places.get(taskId) ?? null) === place) continue;
      hasChanged = true;
      if (place === null) this.#places.delete(taskId);
      else this.#places.set(taskId, place);
    }
    return hasChanged;
  }
}

function placeOf(world: LiveWorld, taskId: string): string | null {
  const task = world.tasks.get(taskId);
  if (task === undefined) return null;
  const { workspace, project, branch } = task.fields;
  return `${workspace ?? task.reservedWorkspace ?? ''} ${project}/${branch}`;
}
