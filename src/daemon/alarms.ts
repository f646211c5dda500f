import { TurnShare } from './turn-share.js';

/**
 * Wakes up for a task after a while; of several wishes for one task the earliest counts. When many
 * ring together, they are answered in several turns of the event loop.
 */
export class Alarms {
  readonly #onAlarm: (taskId: string) => void;
  readonly #now: () => number;
  readonly #pending = new Map<string, { readonly timer: NodeJS.Timeout; readonly dueMs: number }>();
  readonly #ringing = new Set<string>();
  readonly #share: TurnShare;

  constructor(now: () => number, onAlarm: (taskId: string) => void) {
    this.#now = now;
    this.#onAlarm = onAlarm;
    this.#share = new TurnShare(now);
  }

  wakeIn(taskId: string, delayMs: number): void {
    const dueMs = this.#now() + delayMs;
    const pending = this.#pending.get(taskId);
    if (pending !== undefined && pending.dueMs <= dueMs) return;
    clearTimeout(pending?.timer);
    // Timers may fire a little early by the clock that is asked.
    const timer = setTimeout(() => {
      this.#pending.delete(taskId);
      this.ring(taskId);
    }, delayMs + 2);
    this.#pending.set(taskId, { timer, dueMs });
  }

  /** Wakes up now, or in one of the next turns when this one has had its share of work. */
  ring(taskId: string): void {
    if (this.#ringing.has(taskId)) return;
    this.#ringing.add(taskId);
    this.#share.do(() => {
      if (this.#ringing.delete(taskId)) this.#onAlarm(taskId);
    });
  }

  cancel(taskId: string): void {
    clearTimeout(this.#pending.get(taskId)?.timer);
    this.#pending.delete(taskId);
    this.#ringing.delete(taskId);
  }

  close(): void {
    for (const taskId of Array.from(this.#pending.keys())) this.cancel(taskId);
    this.#ringing.clear();
    this.#share.close();
  }
}
