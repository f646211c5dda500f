import type { Finding } from '../../domain/finding.js';
import type { Clock } from '../../ports.js';

const FIRST_MS = 30_000;
const LONGEST_MS = 30 * 60_000;

type Wait = { readonly failures: number; readonly untilMs: number };

/** Remembers what could not be mended, so that it is tried again ever less often. */
export class RetryBook {
  readonly #clock: Clock;
  readonly #waits = new Map<string, Wait>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isDue(finding: Finding): boolean {
    return this.#clock.monotonicMs() >= (this.#waits.get(keyOf(finding))?.untilMs ?? 0);
  }

  /** Whether this is the first time, or the first after a success. What passes is tried steadily. */
  fail(finding: Finding, isPassing = false): boolean {
    const failures = (this.#waits.get(keyOf(finding))?.failures ?? 0) + 1;
    const waitMs = isPassing ? FIRST_MS : Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
    this.#waits.set(keyOf(finding), { failures, untilMs: this.#clock.monotonicMs() + waitMs });
    return failures === 1;
  }

  succeed(finding: Finding): void {
    this.#waits.delete(keyOf(finding));
  }
}

/** What makes a finding the same one in the next round. */
export function keyOf(finding: Finding): string {
  return [finding.class, finding.task_id, finding.path, finding.session].join('\n');
}
