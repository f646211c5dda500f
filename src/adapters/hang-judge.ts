/** What the watcher sees of the thread that runs the event loop. */
export type LoopLook = {
  /** Counts the turns of the loop, more or less: it grows while the loop turns. */
  readonly beats: number;
  readonly monotonicMs: number;
  /** Whether the process is still starting: reading many files takes its time. */
  readonly isStarting: boolean;
  /** What the kernel says of the thread; null where it says nothing. */
  readonly thread: ThreadUse | null;
};

export type ThreadUse = {
  readonly state: 'running' | 'waiting' | 'stopped';
  /** Processor time it has used so far. */
  readonly cpuMs: number;
};

export type HangLimits = {
  /** How often the watcher looks. */
  readonly everyMs: number;
  readonly blockedMs: number;
  readonly hungMs: number;
  /** How long the loop of a process that is starting may hang. */
  readonly startMs: number;
};

/** `blocked` is told once each time, `hung` from then on. */
export type LoopVerdict = 'turns' | 'held-up' | 'blocked' | 'hung';

/**
 * Judges whether an event loop hangs. Only time in which it could have turned counts: a machine that
 * sleeps or a process that is stopped holds up the watcher too, and a thread that waits for a
 * processor uses none.
 */
export class HangJudge {
  readonly #limits: HangLimits;
  #last: LoopLook | null = null;
  #heldMs = 0;
  #isTold = false;

  constructor(limits: HangLimits) {
    this.#limits = limits;
  }

  /** For how long the loop has not turned, in time that counts. */
  get heldMs(): number {
    return this.#heldMs;
  }

  judge(look: LoopLook): LoopVerdict {
    const last = this.#last;
    this.#last = look;
    if (last === null || last.beats !== look.beats) {
      this.#heldMs = 0;
      this.#isTold = false;
      return 'turns';
    }
    this.#heldMs += this.#countedMs(last, look);
    const { startMs, hungMs, blockedMs } = this.#limits;
    if (this.#heldMs >= (look.isStarting ? startMs : hungMs)) return 'hung';
    if (look.isStarting || this.#heldMs < blockedMs || this.#isTold) return 'held-up';
    this.#isTold = true;
    return 'blocked';
  }

  #countedMs(last: LoopLook, look: LoopLook): number {
    const passedMs = look.monotonicMs - last.monotonicMs;
    if (passedMs > this.#limits.everyMs * LATE_LOOKS) return 0;
    if (look.thread === null || look.thread.state === 'waiting') return passedMs;
    if (look.thread.state === 'stopped' || last.thread === null) return 0;
    return Math.min(passedMs, look.thread.cpuMs - last.thread.cpuMs);
  }
}

const LATE_LOOKS = 3;
