/** Compares what was found by looking with what was hinted at, to learn when hints are being lost. */
export class MissedHints {
  readonly #hintedMs = new Map<string, number>();
  readonly #foundMs = new Map<string, number>();
  #lastMissMs = Number.NEGATIVE_INFINITY;

  /** A hint that comes long after the change was found is about another one, such as orange's own. */
  noteHint(taskId: string, nowMs: number): void {
    this.#hintedMs.set(taskId, nowMs);
    const foundMs = this.#foundMs.get(taskId) ?? nowMs;
    if (nowMs - foundMs <= LATE_HINT_MS) this.#foundMs.delete(taskId);
  }

  /** A change was found; true while its hint has not come and may still do so. */
  noteFound(taskId: string, nowMs: number): boolean {
    const foundMs = this.#foundMs.get(taskId);
    if (foundMs !== undefined) return nowMs - foundMs <= LATE_HINT_MS;
    const hintedMs = this.#hintedMs.get(taskId) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - hintedMs <= LATE_HINT_MS) return false;
    this.#foundMs.set(taskId, nowMs);
    return true;
  }

  /** The tasks whose hint has not come in time, each named once. */
  takeMissed(nowMs: number): readonly string[] {
    if (this.#foundMs.size === 0) return [];
    const missed = [...this.#foundMs].flatMap(([taskId, foundMs]) =>
      nowMs - foundMs > HINT_LIMIT_MS ? [taskId] : [],
    );
    for (const taskId of missed) this.#foundMs.delete(taskId);
    if (missed.length > 0) this.#lastMissMs = nowMs;
    return missed;
  }

  /** Whether hints have lately been lost. */
  isDistrusted(nowMs: number): boolean {
    return nowMs - this.#lastMissMs < DISTRUST_MS;
  }

  forget(taskId: string): void {
    this.#hintedMs.delete(taskId);
    this.#foundMs.delete(taskId);
  }
}

/** The kernel tells in order and at once; other systems take a moment. */
export const LATE_HINT_MS = 500;
const HINT_LIMIT_MS = 2000;
const DISTRUST_MS = 60_000;
