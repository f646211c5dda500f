import type { Failure } from '../domain/failure.js';
import type { Observation } from '../domain/observation.js';
import type { Owed } from './owed.js';

/** The result of an effect, and what its outbox entry still owes besides. */
export type Unrecorded = {
  readonly taskId: string;
  readonly seen: Observation;
  readonly rest: Owed;
};

/** Remembers what could not be recorded, e.g. because the disk was full, until it is tried again. */
export class UnrecordedBook {
  #results: Unrecorded[] = [];
  readonly #refused = new WeakMap<Observation, Failure | null>();
  readonly #tasks = new Set<string>();

  /** Notes an observation whose decision was not recorded. A request is its asker's to repeat. */
  refuse(observation: Observation, taskId: string | null, failure: Failure | null = null): void {
    this.#refused.set(observation, failure);
    if (observation.kind !== 'request' && taskId !== null) this.#tasks.add(taskId);
  }

  wasRefused(observation: Observation): boolean {
    return this.#refused.has(observation);
  }

  /** Keeps the result of an effect: nobody else will tell it again. */
  keep(result: Unrecorded): void {
    this.#results.push(result);
  }

  /** Why the result of what was done for a task cannot be recorded; null when none waits for that. */
  failureOf(task: string): Failure | null {
    const waiting = this.#results.find(({ taskId }) => taskId === task);
    return waiting === undefined ? null : (this.#refused.get(waiting.seen) ?? null);
  }

  /** Everything to try again; what fails once more is noted anew. */
  take(): { readonly results: readonly Unrecorded[]; readonly tasks: readonly string[] } {
    const taken = { results: this.#results, tasks: [...this.#tasks] };
    this.#results = [];
    this.#tasks.clear();
    return taken;
  }
}
