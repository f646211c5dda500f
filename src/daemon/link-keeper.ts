import { isTerminal } from '../domain/status.js';
import type { TaskState } from '../domain/world.js';
import type { Look } from '../observe/task-file-observer.js';
import type { Clock, Files, FileStamp, Log } from '../ports.js';
import type { Paths } from '../record/paths.js';
import type { TaskStore } from '../record/task-store.js';
import { mendTaskLink } from './read-task-content.js';

type Parts = {
  readonly files: Files;
  readonly paths: Paths;
  readonly store: TaskStore;
  readonly clock: Clock;
  readonly log: Log;
};

/** Keeps the TASK.md of each worktree a link to the task's own file. */
export class LinkKeeper {
  readonly #parts: Parts;
  readonly #copies = new Map<string, { readonly stamp: FileStamp; readonly sinceMs: number }>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Mends the link; true while a copy that stands in its place is not yet quiet enough to be taken. */
  mend(task: TaskState, look: Look, settleMs: number): boolean {
    const { id, status } = task.fields;
    // A worktree that is being freed must lose its link.
    if (task.activity === 'releasing' || isTerminal(status)) return false;
    const state = mendTaskLink(this.#parts, task, (stamp) =>
      look === 'changed' ? this.#isQuiet(id, stamp, settleMs) : true,
    );
    if (state === 'unsettled') return true;
    this.#copies.delete(id);
    if (state === 'adopted' || state === 'mended') {
      this.#parts.log.write({ event: `link.${state}`, task: id });
    }
    return false;
  }

  forget(taskId: string): void {
    this.#copies.delete(taskId);
  }

  #isQuiet(taskId: string, stamp: FileStamp, settleMs: number): boolean {
    const now = this.#parts.clock.monotonicMs();
    const before = this.#copies.get(taskId);
    const isSame =
      before !== undefined &&
      before.stamp.mtimeMs === stamp.mtimeMs &&
      before.stamp.size === stamp.size &&
      before.stamp.inode === stamp.inode;
    if (!isSame) this.#copies.set(taskId, { stamp, sinceMs: now });
    return settleMs === 0 || (isSame && now - before.sinceMs >= settleMs);
  }
}
