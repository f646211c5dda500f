import type { Observation } from '../domain/observation.js';
import type { World } from '../domain/world.js';

/** Requests about a task that is being started, merged or freed: they wait until that is over. */
export class DeferredRequests<E extends { readonly observation: Observation }> {
  readonly #world: World;
  readonly #waiting = new Map<string, E[]>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Keeps a request if it has to wait; true if it does. */
  putOff(envelope: E): boolean {
    const { observation } = envelope;
    if (observation.kind !== 'request' || !('taskId' in observation.request)) return false;
    const { taskId } = observation.request;
    if (this.#isFree(taskId)) return false;
    this.#waiting.set(taskId, [...(this.#waiting.get(taskId) ?? []), envelope]);
    return true;
  }

  /** The requests about a task that need wait no longer. */
  takeReady(taskId: string): readonly E[] {
    const waiting = this.#waiting.get(taskId);
    if (waiting === undefined || !this.#isFree(taskId)) return [];
    this.#waiting.delete(taskId);
    return waiting;
  }

  #isFree(taskId: string): boolean {
    const task = this.#world.tasks.get(taskId);
    return task === undefined || task.activity === null;
  }
}
