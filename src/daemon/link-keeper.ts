import type { Observation } from '../domain/observation.js';
import { isTerminal } from '../domain/status.js';
import type { TaskState } from '../domain/world.js';
import type { Look, TaskFileObserver } from '../observe/task-file-observer.js';
import type { Clock, Files, FileStamp, Log, ReadFile } from '../ports.js';
import type { Paths } from '../record/paths.js';
import { digestOf } from '../record/replace-task-file.js';
import type { TaskStore } from '../record/task-store.js';
import { CopyOrigins } from './copy-origins.js';
import { mendTaskLink } from './read-task-content.js';

type Parts = {
  readonly files: Files;
  readonly paths: Paths;
  readonly store: TaskStore;
  readonly observer: Pick<TaskFileObserver, 'lastRead'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of words that were set aside, until the history names them. */
  onKept(kept: Extract<Observation, { kind: 'edit-kept' }>): void;
};

const TELL_AGAIN_MS = 3000;
const TRY_AGAIN_MS = 1000;

/** Keeps the TASK.md of each worktree a link to the task's own file. */
export class LinkKeeper {
  readonly #parts: Parts;
  readonly #origins: CopyOrigins;
  readonly #copies = new Map<string, { readonly stamp: FileStamp; readonly sinceMs: number }>();
  /** Copies whose text is in the task's file, though nothing could put the link in their place. */
  readonly #taken = new Map<string, string>();
  /** What was told and may not be in the history yet. */
  readonly #told = new Map<string, { readonly transcript: string; readonly atMs: number }>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#origins = new CopyOrigins(parts);
  }

  /** Mends the link; gives when to look again at what could not be settled yet, or null. */
  mend(task: TaskState, look: Look, settleMs: number): number | null {
    const { id, status } = task.fields;
    // A worktree that is being freed must lose its link.
    if (task.activity === 'releasing' || isTerminal(status)) return null;
    const isSettled = (stamp: FileStamp): boolean => this.#isQuiet(id, stamp, settleMs);
    const isQuiet = (stamp: FileStamp): boolean => look !== 'changed' || isSettled(stamp);
    const state = mendTaskLink({ ...this.#parts, origins: this.#origins }, task, {
      isQuiet,
      isSettled,
      isTaken: (copy) => this.#taken.get(id) === markOf(copy),
      noteTaken: (copy) => this.#taken.set(id, markOf(copy)),
    });
    if (state.kind === 'unsettled') return settleMs;
    if (state.kind === 'hindered') return Math.max(settleMs, TRY_AGAIN_MS);
    if (state.kind === 'kept') {
      const isTold = this.#told.get(id)?.transcript === state.transcript;
      this.#tellKept(id, state.transcript);
      // Once told it is in the history, unless that cannot be written now.
      return isTold ? Math.max(settleMs, TRY_AGAIN_MS) : settleMs;
    }
    this.#copies.delete(id);
    this.#told.delete(id);
    if (state.kind !== 'unusable') this.#taken.delete(id);
    if (state.kind === 'adopted' || state.kind === 'mended') {
      this.#parts.log.write({ event: `link.${state.kind}`, task: id });
    }
    return null;
  }

  #tellKept(taskId: string, transcript: string): void {
    const now = this.#parts.clock.monotonicMs();
    const before = this.#told.get(taskId);
    if (before?.transcript === transcript && now - before.atMs < TELL_AGAIN_MS) return;
    this.#told.set(taskId, { transcript, atMs: now });
    this.#parts.log.write({ event: 'link.kept', level: 'warn', task: taskId, transcript });
    this.#parts.onKept({ kind: 'edit-kept', taskId, transcript, sections: [] });
  }

  forget(taskId: string): void {
    this.#copies.delete(taskId);
    this.#taken.delete(taskId);
    this.#told.delete(taskId);
    this.#origins.forget(taskId);
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

/** Tells a copy from every other, also from one of the same size within a tick of the clock. */
function markOf({ stamp, text }: ReadFile): string {
  return [stamp.inode, stamp.mtimeMs, stamp.size, digestOf(text)].join(' ');
}
