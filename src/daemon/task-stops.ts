import type { TaskRequest } from '../domain/request.js';

/** Lets commands that run for a task, its set-up and its checks, be ended when nobody wants them any more. */
export class TaskStops {
  readonly #running = new Map<string, AbortController>();
  /** Tasks that are to be cancelled as soon as what is under way for them is over. */
  readonly #unwanted = new Set<string>();

  /** Gives the work a signal that is set off when it is not wanted any more. */
  async during<T>(taskId: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#running.set(taskId, controller);
    if (this.#unwanted.has(taskId)) controller.abort();
    try {
      return await work(controller.signal);
    } finally {
      if (this.#running.get(taskId) === controller) this.#running.delete(taskId);
    }
  }

  /** Ends what runs for a task that is to be cancelled, and lets nothing more begin for it. */
  heed(request: TaskRequest): void {
    if (request.kind !== 'task.cancel') return;
    this.#unwanted.add(request.taskId);
    this.#running.get(request.taskId)?.abort();
  }

  /** What was asked of a task is being dealt with; whatever runs from now on is wanted. */
  forget(taskId: string): void {
    this.#unwanted.delete(taskId);
  }
}
