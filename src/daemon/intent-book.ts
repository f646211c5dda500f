import type { Effect } from '../domain/effect.js';
import { DONE, success, type Result } from '../domain/result.js';
import type { Extensions, TaskFields } from '../domain/task.js';
import type { Outbox } from '../record/outbox.js';
import { effectToJson } from './effect-json.js';

export type Intent = {
  readonly taskId: string;
  readonly commit: string | null;
  /** What it sets in TASK.md. */
  readonly sets: Readonly<Partial<TaskFields>>;
  readonly extensions: Extensions;
  readonly lines: readonly string[];
  readonly effects: readonly Effect[];
  readonly requestId: string | null;
};

/**
 * Writes outbox entries and takes them away again. One that the disk will not let go of is no
 * failure of what it was for: it is tried again, so that no later start takes it for something owed.
 */
export class IntentBook {
  readonly #outbox: Outbox;
  readonly #uncleared = new Set<number>();
  /** Entries whose change was never made, with their tasks. */
  readonly #void = new Map<number, string>();
  #nextSeq: number;

  constructor(outbox: Outbox, firstSeq: number) {
    this.#outbox = outbox;
    this.#nextSeq = firstSeq;
  }

  /** The number of the entry; null when there is nothing to remember. */
  write(intent: Intent): Result<number | null> {
    const { taskId, commit, sets, extensions, lines, effects, requestId } = intent;
    // An entry whose change was never made would count as soon as its task is written again.
    const barred = this.#clearVoid(taskId);
    if (!barred.ok) return barred;
    if (lines.length === 0 && effects.length === 0) return success(null);
    const seq = this.#nextSeq;
    this.#nextSeq += 1;
    const owed = effects.map(effectToJson);
    const about = { taskId, commit, sets, extensions };
    const entry = { seq, ...about, events: lines, effects: owed, requestId };
    const written = this.#outbox.write(entry);
    if (written.ok) return success(seq);
    // A write may fail after the entry is in its place, when the directory cannot be synced.
    this.discard(seq, taskId);
    return written;
  }

  /** Takes back an entry whose change was not made; until it is gone, its task is not written. */
  discard(seq: number, taskId: string): void {
    if (!this.#outbox.remove(seq).ok) this.#void.set(seq, taskId);
  }

  #clearVoid(taskId: string): Result<void> {
    for (const [seq, id] of this.#void) {
      if (id !== taskId) continue;
      const removed = this.#outbox.remove(seq);
      if (!removed.ok) return removed;
      this.#void.delete(seq);
    }
    return DONE;
  }

  clear(seq: number): Result<void> {
    const removed = this.#outbox.remove(seq);
    if (removed.ok) this.#uncleared.delete(seq);
    else this.#uncleared.add(seq);
    return removed;
  }

  /** Tries again what could not be taken away. */
  retry(): void {
    for (const seq of Array.from(this.#uncleared)) this.clear(seq);
    for (const taskId of new Set(this.#void.values())) this.#clearVoid(taskId);
  }
}
