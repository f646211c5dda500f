import type { Note } from '../api/protocol.js';
import type { Effect } from '../domain/effect.js';
import type { LiveWorld } from './live-world.js';

type Parts = { readonly world: LiveWorld; publish(): void };

/** Who waits for which request, and what is being done for it just now. */
export class ProgressBook {
  readonly #parts: Parts;
  readonly #listeners = new Map<string, (note: Note) => void>();
  /** The request for which something is being done for a task. */
  readonly #requests = new Map<string, string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  listen(requestId: string, listener: (note: Note) => void): void {
    this.#listeners.set(requestId, listener);
  }

  begin(requestId: string, { kind, taskId }: Effect): void {
    this.#requests.set(taskId, requestId);
    this.#listeners.get(requestId)?.({ code: kind, text: kind.replaceAll('-', ' ') });
  }

  /** A step that takes long: for whoever waits for it, and for every view; null when it is over. */
  tell(taskId: string, step: string | null): void {
    const { world } = this.#parts;
    const requestId = this.#requests.get(taskId);
    if (step === null) world.steps.delete(taskId);
    else {
      world.steps.set(taskId, step);
      if (requestId !== undefined) this.#listeners.get(requestId)?.({ code: 'step', text: step });
    }
    world.touched.add(taskId);
    this.#parts.publish();
  }

  forget(requestId: string): void {
    this.#listeners.delete(requestId);
    for (const [taskId, each] of this.#requests) {
      if (each === requestId) this.#requests.delete(taskId);
    }
  }
}
