/**
 * Says how soon to follow a hint: the first at once, those in quick succession ever more rarely, so
 * that a file rewritten without end costs no more than a few looks a second.
 */
export class HintPacer {
  readonly #paces = new Map<string, { nextMs: number; gapMs: number }>();

  /** How long to wait; 0 means now, and is taken for done. */
  waitMs(taskId: string, nowMs: number): number {
    const pace = this.#paces.get(taskId);
    if (pace !== undefined && nowMs < pace.nextMs) return pace.nextMs - nowMs;
    const isBusy = pace !== undefined && nowMs - pace.nextMs < CALM_MS;
    const gapMs = isBusy ? Math.min(pace.gapMs * 2, LAST_GAP_MS) : FIRST_GAP_MS;
    this.#paces.set(taskId, { nextMs: nowMs + gapMs, gapMs });
    return 0;
  }

  forget(taskId: string): void {
    this.#paces.delete(taskId);
  }
}

const FIRST_GAP_MS = 8;
const LAST_GAP_MS = 250;
const CALM_MS = 500;
