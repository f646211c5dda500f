/**
 * Says how soon to follow a hint: the first few at once, those in quick succession ever more rarely,
 * so that a file rewritten without end costs no more than a few looks a second.
 */
export class HintPacer {
  readonly #paces = new Map<string, Pace>();

  /** How long to wait; 0 means now, and is taken for done. */
  waitMs(taskId: string, nowMs: number): number {
    const last = this.#paces.get(taskId);
    const isCalm = last === undefined || nowMs - last.nextMs >= CALM_MS;
    const { nextMs, gapMs, free } = isCalm ? CALM_PACE : last;
    if (nowMs < nextMs) return nextMs - nowMs;
    const isFree = free > 0;
    this.#paces.set(taskId, {
      nextMs: isFree ? nowMs : nowMs + gapMs,
      gapMs: isFree ? gapMs : Math.min(gapMs * 2, LAST_GAP_MS),
      free: isFree ? free - 1 : 0,
    });
    return 0;
  }

  forget(taskId: string): void {
    this.#paces.delete(taskId);
  }
}

type Pace = { readonly nextMs: number; readonly gapMs: number; readonly free: number };

// A file is made, then written: the first hint often comes too early to see what it is about.
const CALM_PACE: Pace = { nextMs: 0, gapMs: 8, free: 2 };
const LAST_GAP_MS = 250;
const CALM_MS = 500;
