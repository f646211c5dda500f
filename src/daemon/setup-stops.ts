import type { TaskRequest } from '../domain/request.js';

/** Lets a set-up that runs for a task be ended when somebody wants that no more. */
export class SetupStops {
  readonly #running = new Map<string, AbortController>();

  /** Gives the work a signal that is set off when it is not wanted any more. */
  async during<T>(taskId: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#running.set(taskId, controller);
    try {
      return await work(controller.signal);
    } finally {
      if (this.#running.get(taskId) === controller) this.#running.delete(taskId);
    }
  }

  /** Ends the set-up of a task that is to be cancelled. */
  heed(request: TaskRequest): void {
    if (request.kind === 'task.cancel') this.#running.get(request.taskId)?.abort();
  }
}
