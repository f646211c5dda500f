/**
 * Wakes up for a task after a while; of several wishes for one task the earliest counts. When many
 * ring together, those that would take too long wait for a turn of the event loop each.
 */
export class Alarms {
  readonly #onAlarm: (taskId: string) => void;
  readonly #now: () => number;
  readonly #pending = new Map<string, { readonly timer: NodeJS.Timeout; readonly dueMs: number }>();
  readonly #ringing = new Set<string>();
  #spentMs = 0;
  #nextTurn: NodeJS.Immediate | null = null;

  constructor(now: () => number, onAlarm: (taskId: string) => void) {
    this.#now = now;
    this.#onAlarm = onAlarm;
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
    this.#ringing.add(taskId);
    this.#answer();
  }

  cancel(taskId: string): void {
    clearTimeout(this.#pending.get(taskId)?.timer);
    this.#pending.delete(taskId);
    this.#ringing.delete(taskId);
  }

  close(): void {
    for (const taskId of Array.from(this.#pending.keys())) this.cancel(taskId);
    this.#ringing.clear();
    if (this.#nextTurn !== null) clearImmediate(this.#nextTurn);
    this.#nextTurn = null;
  }

  #answer(): void {
    for (const taskId of this.#ringing) {
      if (this.#spentMs >= TURN_MS) break;
      this.#ringing.delete(taskId);
      const startMs = this.#now();
      this.#onAlarm(taskId);
      this.#spentMs += this.#now() - startMs;
    }
    this.#nextTurn ??= setImmediate(() => {
      this.#nextTurn = null;
      this.#spentMs = 0;
      if (this.#ringing.size > 0) this.#answer();
    });
  }
}

/** Others wait no longer than this, and the work for one task. */
const TURN_MS = 8;
