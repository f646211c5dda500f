import { describeBug } from '../domain/describe-bug.js';
import { describeFailure } from '../domain/describe-failure.js';
import { workspaceName } from '../domain/pool.js';
import type { Project } from '../domain/project.js';
import { takenWorkspaces } from '../engine/world-queries.js';
import type { Log, Repositories } from '../ports.js';
import type { Paths } from '../record/paths.js';
import type { LiveWorld } from './live-world.js';

type Parts = {
  readonly world: LiveWorld;
  readonly paths: Paths;
  readonly repositories: Pick<Repositories, 'proveIdle'>;
  readonly log: Log;
  /** Whether nothing is being carried out for any task. */
  isIdle(): boolean;
};

type Slot = { readonly project: Project; readonly workspace: string };

/** A worktree that is free for so long is not about to be taken by a task that waited for it. */
const SETTLED_MS = 1000;
/** So many of a project's free worktrees, those that tasks are given first. */
const AHEAD = 3;

/** Has free worktrees looked through before a task wants them, each once until one has taken it. */
export class IdleProver {
  readonly #parts: Parts;
  readonly #seen = new Set<string>();
  #lastState = '';
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Something has changed: in a moment it is looked whether there is a worktree to look through. */
  nudge(): void {
    const { changes, worktrees } = this.#parts.world;
    const state = `${changes}/${worktrees.size}`;
    const isNews = worktrees.size > 0 && state !== this.#lastState;
    if (this.#isClosed || this.#timer !== null || !isNews) return;
    this.#lastState = state;
    this.#timer = setTimeout(() => this.#wake(), SETTLED_MS);
    this.#timer.unref();
  }

  /** A task takes the worktree: when it is free again it is another matter. */
  take(workspace: string): void {
    this.#seen.delete(workspace);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Looks through what is free, one worktree at a time and only while nothing is done for a task. */
  async proveAhead(): Promise<void> {
    const { repositories, paths, log } = this.#parts;
    for (let next = this.#next(); next !== null; next = this.#next()) {
      const { project, workspace } = next;
      this.#seen.add(workspace);
      const worktree = paths.workspace(workspace);
      const proven = await repositories.proveIdle({ repository: project.path, worktree });
      const message = proven.ok ? undefined : describeFailure(proven.failure).message;
      const isWatched = proven.ok && proven.value;
      log.write({ event: 'pool.looked-through', workspace, watched: isWatched, message });
    }
  }

  #wake(): void {
    this.proveAhead()
      .catch((error: unknown) => {
        const bug = describeBug(error);
        this.#parts.log.write({ event: 'pool.prove-failed', level: 'error', bug });
      })
      .finally(() => {
        this.#timer = null;
        // What is being done for a task now ends, and may leave a worktree free.
        if (!this.#parts.isIdle()) this.#lastState = '';
        this.nudge();
      });
  }

  #next(): Slot | null {
    return this.#isClosed || !this.#parts.isIdle() ? null : this.#findNext();
  }

  #findNext(): Slot | null {
    const { world } = this.#parts;
    for (const project of world.projects.values()) {
      const taken = takenWorkspaces(world, project.name);
      const free = Array.from({ length: project.pool_size }, (_, index) =>
        workspaceName(project.name, index + 1),
      ).filter((name) => world.worktrees.has(name) && !taken.has(name));
      const workspace = free
        .filter((name) => !world.quarantined.has(name))
        .slice(0, AHEAD)
        .find((name) => !this.#seen.has(name));
      if (workspace !== undefined) return { project, workspace };
    }
    return null;
  }
}
