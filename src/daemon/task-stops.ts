import type { TaskRequest } from '../domain/request.js';

/** Lets commands that run for a task, its set-up and its checks, be ended when nobody wants them any more. */
export class TaskStops {
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

  /** Ends what runs for a task that is to be cancelled. */
  heed(request: TaskRequest): void {
    if (request.kind === 'task.cancel') this.#running.get(request.taskId)?.abort();
  }
}
