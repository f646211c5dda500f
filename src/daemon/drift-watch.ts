import { join } from 'node:path';
import type { Observation } from '../domain/observation.js';
import type { TaskState } from '../domain/world.js';
import { declaredPaths } from '../engine/reservations/reservations.js';
import { findGitDirectory } from '../observe/activity-stamps.js';
import type { Files } from '../ports.js';
import type { Paths } from '../record/paths.js';
import type { LiveWorld } from './live-world.js';

type Parts = {
  readonly world: LiveWorld;
  readonly files: Files;
  readonly paths: Paths;
  measure(taskId: string): Promise<Observation | null>;
  see(observation: Observation): void;
};

/** Looks at what a task has changed after it has made a commit: git is asked only then. */
export class DriftWatch {
  readonly #parts: Parts;
  readonly #stamps = new Map<string, string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Looks for new commits of tasks at work. */
  async look(): Promise<void> {
    const atWork = [...this.#parts.world.tasks.values()].filter(isWatched);
    const ids = new Set(atWork.map(({ fields }) => fields.id));
    for (const id of this.#stamps.keys()) if (!ids.has(id)) this.#stamps.delete(id);
    for (const task of atWork) {
      if (this.#hasCommitted(task)) await this.#measure(task.fields.id);
    }
  }

  async #measure(taskId: string): Promise<void> {
    const seen = await this.#parts.measure(taskId);
    if (seen !== null) this.#parts.see(seen);
  }

  /** Whether there is a commit that was not there at the last look; the first look only begins. */
  #hasCommitted({ fields }: TaskState): boolean {
    const { files, paths } = this.#parts;
    const directory = findGitDirectory(files, paths.workspace(fields.workspace ?? '-'));
    const state = directory === null ? null : files.stat(join(directory, 'logs', 'HEAD'));
    if (state === null || !state.ok || state.value.kind !== 'file') return false;
    const { mtimeMs, size, inode } = state.value.stamp;
    const stamp = `${mtimeMs} ${size} ${inode}`;
    const before = this.#stamps.get(fields.id);
    this.#stamps.set(fields.id, stamp);
    return before !== undefined && before !== stamp;
  }
}

function isWatched(task: TaskState): boolean {
  const { status, workspace } = task.fields;
  return status === 'working' && workspace !== null && declaredPaths(task).length > 0;
}
