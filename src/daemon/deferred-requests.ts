import type { Observation } from '../domain/observation.js';
import type { World } from '../domain/world.js';
import type { TaskStops } from './task-stops.js';

type Parts = {
  readonly world: World;
  /** Told of each request that has to wait, and when those about a task are dealt with. */
  readonly stops: Pick<TaskStops, 'heed' | 'forget'>;
};

/** Requests about a task that is being started, merged or freed: they wait until that is over. */
export class DeferredRequests<E extends { readonly observation: Observation }> {
  readonly #parts: Parts;
  readonly #waiting = new Map<string, E[]>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Keeps a request if it has to wait; true if it does. */
  putOff(envelope: E): boolean {
    const { observation } = envelope;
    if (observation.kind !== 'request' || !('taskId' in observation.request)) return false;
    const { taskId } = observation.request;
    if (this.#isFree(taskId)) return false;
    this.#waiting.set(taskId, [...(this.#waiting.get(taskId) ?? []), envelope]);
    this.#parts.stops.heed(observation.request);
    return true;
  }

  /** The requests about a task that need wait no longer. */
  takeReady(taskId: string): readonly E[] {
    const waiting = this.#waiting.get(taskId);
    return waiting === undefined || !this.#isFree(taskId) ? [] : this.takeAll(taskId);
  }

  /** All requests about a task, for which waiting has no end in sight. */
  takeAll(taskId: string): readonly E[] {
    const waiting = this.#waiting.get(taskId) ?? [];
    if (this.#waiting.delete(taskId)) this.#parts.stops.forget(taskId);
    return waiting;
  }

  #isFree(taskId: string): boolean {
    const task = this.#parts.world.tasks.get(taskId);
    return task === undefined || task.activity === null;
  }
}
