/** Wakes up for a task after a while; of several wishes for one task the earliest counts. */
export class Alarms {
  readonly #onAlarm: (taskId: string) => void;
  readonly #now: () => number;
  readonly #pending = new Map<string, { readonly timer: NodeJS.Timeout; readonly dueMs: number }>();

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
      this.#onAlarm(taskId);
    }, delayMs + 2);
    this.#pending.set(taskId, { timer, dueMs });
  }

  cancel(taskId: string): void {
    clearTimeout(this.#pending.get(taskId)?.timer);
    this.#pending.delete(taskId);
  }

  close(): void {
    for (const taskId of Array.from(this.#pending.keys())) this.cancel(taskId);
  }
}
