/**
 * Does work in a share of each turn of the event loop, in order: at once while there is something
 * left of this turn's, else in one of the next, so that others get theirs.
 */
export class TurnShare {
  readonly #now: () => number;
  #waiting: (() => void)[] = [];
  #spentMs = 0;
  #nextTurn: NodeJS.Immediate | null = null;

  constructor(now: () => number) {
    this.#now = now;
  }

  do(work: () => void): void {
    this.#waiting.push(work);
    this.#go();
  }

  /** As `do`; resolves when the work is done. */
  async take(work: () => void): Promise<void> {
    return new Promise((resolve) => {
      this.do(() => {
        work();
        resolve();
      });
    });
  }

  close(): void {
    this.#waiting = [];
    if (this.#nextTurn !== null) clearImmediate(this.#nextTurn);
    this.#nextTurn = null;
  }

  #go(): void {
    while (this.#spentMs < SHARE_MS) {
      const work = this.#waiting.shift();
      if (work === undefined) break;
      this.#carryOut(work);
    }
    this.#nextTurn ??= setImmediate(() => {
      this.#nextTurn = null;
      this.#spentMs = 0;
      if (this.#waiting.length > 0) this.#go();
    });
  }

  #carryOut(work: () => void): void {
    const startMs = this.#now();
    try {
      work();
    } finally {
      this.#spentMs += this.#now() - startMs;
    }
  }
}

/** Others wait no longer than this, and for the one piece of work that goes beyond it. */
const SHARE_MS = 8;
