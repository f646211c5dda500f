import { success, type Result } from '../domain/result.js';
import type { Failure } from '../domain/failure.js';

type OpenRequest = {
  readonly finish: (outcome: Result<string | null>) => void;
  /** Observations to handle and effects to carry out on behalf of the request. */
  work: number;
  failure: Failure | null;
  taskId: string | null;
  /** A created task exists even if its first start fails: that is told by the task itself. */
  readonly isCreation: boolean;
};

/** Follows each request until everything done on its behalf is done; only then is it answered. */
export class RequestBook {
  readonly #open = new Map<string, OpenRequest>();

  /** Resolves with the task the request is about once no work for it is left. */
  async follow(id: string, kind: 'creation' | 'change'): Promise<Result<string | null>> {
    const isCreation = kind === 'creation';
    return new Promise((finish) => {
      this.#open.set(id, { finish, work: 0, failure: null, taskId: null, isCreation });
    });
  }

  /** The request, if this task's work is on its behalf; a slot it freed for others is not. */
  ownerOf(id: string | null, taskId: string | null): string | null {
    const known = id === null ? null : (this.#open.get(id)?.taskId ?? null);
    return known === null || taskId === null || known === taskId ? id : null;
  }

  begin(id: string | null): void {
    const request = id === null ? undefined : this.#open.get(id);
    if (request !== undefined) request.work += 1;
  }

  end(id: string | null): void {
    const request = id === null ? undefined : this.#open.get(id);
    if (id === null || request === undefined) return;
    request.work -= 1;
    if (request.work > 0) return;
    this.#open.delete(id);
    const { failure, taskId } = request;
    request.finish(failure === null ? success(taskId) : { ok: false, failure });
  }

  /** Keeps the first failure and the task that a request turned out to be about. */
  note(
    id: string | null,
    seen: { readonly failure: Failure | null; readonly taskId: string | null },
  ): void {
    const request = id === null ? undefined : this.#open.get(id);
    if (request === undefined) return;
    if (!request.isCreation || request.taskId === null) request.failure ??= seen.failure;
    request.taskId ??= seen.taskId;
  }
}
