/** Compares what was found by looking with what was hinted at, to learn when hints are being lost. */
export class MissedHints {
  readonly #hintedMs = new Map<string, number>();
  readonly #foundMs = new Map<string, number>();
  #lastMissMs = Number.NEGATIVE_INFINITY;

  noteHint(taskId: string, nowMs: number): void {
    this.#hintedMs.set(taskId, nowMs);
    this.#foundMs.delete(taskId);
  }

  /** A change was found that need not have been hinted at yet. */
  noteFound(taskId: string, nowMs: number): void {
    const hintedMs = this.#hintedMs.get(taskId) ?? Number.NEGATIVE_INFINITY;
    const isAwaited = nowMs - hintedMs > HINT_LIMIT_MS && !this.#foundMs.has(taskId);
    if (isAwaited) this.#foundMs.set(taskId, nowMs);
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

const HINT_LIMIT_MS = 2000;
const DISTRUST_MS = 60_000;
