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
    this.#listeners.get(requestId)?.({ code: kind, text: DOING[kind] });
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

const DOING: Readonly<Record<Effect['kind'], string>> = {
  'start-agent': 'starting the agent',
  'end-window': 'ending the agent',
  'release-workspace': 'freeing the worktree',
  'keep-screen': 'keeping what the agent showed',
  'tell-agent': 'telling the agent',
  'notify-human': 'telling you',
  'merge-branch': 'bringing the work into its base',
  finalize: 'trying the merge',
  'run-checks': 'running the checks',
  'mark-reviewed': 'noting what was reviewed',
  'measure-drift': 'looking at what changed',
  'rename-branch': 'renaming the branch',
  'delete-branch': 'removing the branch',
  'open-pull-request': 'opening the pull request',
  'view-pull-request': 'asking GitHub',
};
