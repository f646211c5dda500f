import type { Failure } from '../domain/failure.js';
import { isHindered } from '../domain/is-machine-fault.js';
import { retryPauseMs } from '../domain/retry-pause.js';
import type { Clock } from '../ports.js';

type Wait = {
  readonly failures: number;
  readonly untilMs: number;
  readonly isHindered: boolean;
  /** Whether somebody was told that it is due. */
  readonly isTold: boolean;
};

/** Remembers what could not be done, so that it is tried again ever less often. */
export class RetryBook {
  readonly #clock: Clock;
  readonly #waits = new Map<string, Wait>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isDue(key: string): boolean {
    return this.#clock.monotonicMs() >= (this.#waits.get(key)?.untilMs ?? 0);
  }

  /** Whether this is the first time, or the first after a success or after a failure of another sort. */
  fail(key: string, failure: Failure): boolean {
    const before = this.#waits.get(key);
    const hindered = isHindered(failure);
    // How often the machine stood in the way says nothing about the thing itself.
    const failures = before?.isHindered === hindered ? before.failures + 1 : 1;
    const untilMs = this.#clock.monotonicMs() + retryPauseMs(failure, failures);
    this.#waits.set(key, { failures, untilMs, isHindered: hindered, isTold: false });
    return failures === 1;
  }

  succeed(key: string): void {
    this.#waits.delete(key);
  }

  /** Whether something is due that was only hindered; of each failure this is told once. */
  takeHindered(): boolean {
    const nowMs = this.#clock.monotonicMs();
    const due = [...this.#waits].filter(
      ([, wait]) => wait.isHindered && !wait.isTold && nowMs >= wait.untilMs,
    );
    for (const [key, wait] of due) this.#waits.set(key, { ...wait, isTold: true });
    return due.length > 0;
  }
}
