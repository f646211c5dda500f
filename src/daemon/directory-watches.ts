import { basename } from 'node:path';
import type { Clock, Watch, Watching } from '../ports.js';

type Parts = {
  readonly watching: Watching;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Something in the directory may have changed; `name` is null when it may be anything. */
  onChange(directory: string, name: string | null): void;
};

/**
 * A set of watched directories. One that is made anew is watched anew; one that is not there, or
 * cannot be watched, is tried again, ever more rarely.
 */
export class DirectoryWatches {
  readonly #parts: Parts;
  readonly #open = new Map<string, Watch>();
  /** Those that are not watched, with the errno. */
  readonly #waiting = new Map<string, string>();
  #retryMs = Number.POSITIVE_INFINITY;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Why some directory that may well be there cannot be watched, as an errno; null when none is. */
  get trouble(): string | null {
    for (const code of this.#waiting.values()) if (!isAbsence(code)) return code;
    return null;
  }

  /** Watches a directory from now on, or as soon as it can be; true when the watch is new. */
  add(directory: string): boolean {
    return !this.#open.has(directory) && this.#tryOpen(directory);
  }

  remove(directory: string): void {
    this.#open.get(directory)?.close();
    this.#open.delete(directory);
    this.#waiting.delete(directory);
  }

  /** Watches what is at that path now, which may be another directory than before. */
  reopen(directory: string): void {
    this.#open.get(directory)?.close();
    this.#open.delete(directory);
    this.#tryOpen(directory);
  }

  /** Tries again those that are not watched, when their time has come. */
  retry(): void {
    const now = this.#parts.clock.monotonicMs();
    if (this.#waiting.size === 0 || now < this.#retryMs) return;
    const opened: string[] = [];
    for (const directory of Array.from(this.#waiting.keys())) {
      if (this.#tryOpen(directory)) opened.push(directory);
      // What one cannot have for lack of something, the others cannot have either.
      else if (!isAbsence(this.#waiting.get(directory) ?? '')) break;
    }
    this.#pauseMs = Math.min(this.#pauseMs * 2, LAST_PAUSE_MS);
    this.#retryMs = now + this.#pauseMs;
    for (const directory of opened) this.#parts.onChange(directory, null);
  }

  close(): void {
    for (const directory of [...this.#open.keys(), ...this.#waiting.keys()]) this.remove(directory);
  }

  #tryOpen(directory: string): boolean {
    const watch = this.#parts.watching.watch(directory, {
      onChange: (name) => this.#onChange(directory, name),
      onBroken: (code) => this.#onBroken(directory, code),
    });
    if (watch.ok) {
      this.#open.set(directory, watch.value);
      this.#waiting.delete(directory);
      return true;
    }
    this.#wait(directory, watch.failure.kind === 'io-failed' ? watch.failure.code : 'UNKNOWN');
    return false;
  }

  #onChange(directory: string, name: string | null): void {
    // Its own name means that the directory itself was moved or removed.
    if (name === basename(directory)) this.reopen(directory);
    this.#parts.onChange(directory, name === basename(directory) ? null : name);
  }

  #onBroken(directory: string, code: string): void {
    this.#open.delete(directory);
    this.#wait(directory, code);
    this.#parts.onChange(directory, null);
  }

  #wait(directory: string, code: string): void {
    const isFirst = this.#waiting.size === 0;
    this.#waiting.set(directory, code);
    if (!isFirst) return;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#retryMs = this.#parts.clock.monotonicMs() + this.#pauseMs;
  }
}

const FIRST_PAUSE_MS = 1000;
const LAST_PAUSE_MS = 5000;

function isAbsence(code: string): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR';
}
