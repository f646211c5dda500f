import type { Clock } from '../ports.js';

/** How many requests about one task agents may make in an hour; so many may come at once. */
export const REQUESTS_PER_HOUR = 1000;
const HOUR_MS = 3_600_000;

/**
 * Keeps an agent that asks in a loop from filling its task's history. What is not used up is saved
 * up to an hour's worth.
 */
export class AgentAllowance {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #used = new Map<string, { readonly count: number; readonly atMs: number }>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** Whether one more request about the task may be made, which then counts. */
  take(taskId: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    const before = this.#used.get(taskId) ?? { count: 0, atMs: nowMs };
    const regained = ((nowMs - before.atMs) / HOUR_MS) * REQUESTS_PER_HOUR;
    const count = Math.max(0, before.count - regained) + 1;
    if (count > REQUESTS_PER_HOUR) return false;
    // Anew, so that those who have asked least lately stand first.
    this.#used.delete(taskId);
    this.#used.set(taskId, { count, atMs: nowMs });
    this.#forgetOld(nowMs);
    return true;
  }

  #forgetOld(nowMs: number): void {
    for (const [taskId, { atMs }] of this.#used) {
      if (nowMs - atMs < HOUR_MS) return;
      this.#used.delete(taskId);
    }
  }
}
