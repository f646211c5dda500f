import { setImmediate as nextTurn } from 'node:timers/promises';
import { isTerminal, type Status } from '../../domain/status.js';
import type { TaskState } from '../../domain/world.js';
import type { Clock, Files, FileStamp } from '../../ports.js';
import type { Paths } from '../../record/paths.js';
import type { TaskStore } from '../../record/task-store.js';

type Parts = {
  readonly files: Pick<Files, 'stat'>;
  readonly paths: Paths;
  readonly store: Pick<TaskStore, 'load'>;
  readonly clock: Clock;
};

type Seen = { readonly stamp: FileStamp; readonly status: Status };

const SLICE = 64;
/** Within one tick of the file system's clock a file can change and keep its stamp. */
const TICK_MS = 100;

/** Looks at the files of finished tasks, which nobody watches; one that has not changed costs a stamp. */
export class FinishedFiles {
  readonly #parts: Parts;
  readonly #sinceMs: number;
  #seen: ReadonlyMap<string, Seen> = new Map();

  /** To be made before the tasks are read: what is older has been read by then. */
  constructor(parts: Parts) {
    this.#parts = parts;
    this.#sinceMs = parts.clock.nowMs() - TICK_MS;
  }

  /** What such files say where it is not how the task ended, by task. */
  async findClaims(tasks: Iterable<TaskState>): Promise<ReadonlyMap<string, Status>> {
    const seen = new Map<string, Seen>();
    const claims = new Map<string, Status>();
    let looks = 0;
    for (const task of tasks) {
      const { id, status } = task.fields;
      // What cannot be read, or has no history to be held against, is reported as such.
      if (!isTerminal(status) || task.problems.length > 0) continue;
      looks += 1;
      if (looks % SLICE === 0) await nextTurn();
      const found = this.#look(task);
      if (found === null) continue;
      if (found.status !== status) claims.set(id, found.status);
      const ageMs = this.#parts.clock.nowMs() - found.stamp.mtimeMs;
      if (ageMs >= TICK_MS) seen.set(id, found);
    }
    this.#seen = seen;
    return claims;
  }

  #look(task: TaskState): Seen | null {
    const { files, paths, store } = this.#parts;
    const { project, id, status } = task.fields;
    const state = files.stat(paths.taskFile(project, id));
    if (!state.ok || state.value.kind !== 'file') return null;
    const { stamp } = state.value;
    const before = this.#seen.get(id);
    if (before !== undefined && isSame(before.stamp, stamp)) return before;
    if (before === undefined && stamp.mtimeMs < this.#sinceMs) {
      return { stamp, status: task.claims?.fields.status ?? status };
    }
    const loaded = store.load(project, id);
    return loaded.kind === 'task' ? { stamp, status: loaded.record.fields.status } : null;
  }
}

function isSame(one: FileStamp, other: FileStamp): boolean {
  return one.mtimeMs === other.mtimeMs && one.size === other.size && one.inode === other.inode;
}
