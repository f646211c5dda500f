import type { Clock, Writers } from '../ports.js';

/** The whole table of processes is gone through: not for each file, and not all the time. */
const PAUSE_MS = 10_000;

type Answer = (isHeld: boolean) => void;

/** Asks whether files are held open for writing, about all that are in question at once. */
export class WriterQuestions {
  readonly #parts: { readonly writers: Writers; readonly clock: Clock };
  readonly #open = new Map<string, Answer>();
  #isAsking = false;
  #restUntilMs = 0;

  constructor(parts: { readonly writers: Writers; readonly clock: Clock }) {
    this.#parts = parts;
  }

  /** Answered in a while, also with yes where it cannot be told now. */
  put(path: string, answer: Answer): void {
    this.#open.set(path, answer);
  }

  /** When there is something to ask. */
  get dueMs(): number {
    return this.#open.size === 0 || this.#isAsking ? Number.POSITIVE_INFINITY : this.#restUntilMs;
  }

  /** Asks what is open, if it is time; true when there were answers. */
  async ask(): Promise<boolean> {
    const now = this.#parts.clock.monotonicMs();
    if (this.dueMs > now) return false;
    const asked = [...this.#open];
    this.#open.clear();
    this.#restUntilMs = now + PAUSE_MS;
    this.#isAsking = true;
    const held = await this.#parts.writers.of(asked.map(([path]) => path));
    this.#isAsking = false;
    for (const [path, answer] of asked) answer(held === null || held.has(path));
    return true;
  }

  clear(): void {
    this.#open.clear();
  }
}
