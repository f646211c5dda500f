import { TurnShare } from './turn-share.js';

/** Runs jobs of one key one after another, and jobs of different keys side by side. */
export class EffectQueue {
  readonly #tails = new Map<string, Promise<void>>();
  readonly #share = new TurnShare(() => performance.now());

  add(key: string, job: () => Promise<void>): void {
    const tail = (this.#tails.get(key) ?? Promise.resolve()).then(job);
    this.#tails.set(key, tail);
    void tail.finally(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
  }

  /** Takes in what came of a job; results that come together leave turns to others in between. */
  async inTurn(take: () => void): Promise<void> {
    return this.#share.take(take);
  }

  has(key: string): boolean {
    return this.#tails.has(key);
  }

  get size(): number {
    return this.#tails.size;
  }

  /** Resolves when everything that is queued now has run. */
  async drained(): Promise<void> {
    await Promise.allSettled(this.#tails.values());
  }
}
