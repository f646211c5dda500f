import { describeBug } from '../domain/describe-bug.js';
import { describeFailure } from '../domain/describe-failure.js';
import { failpoint } from '../domain/failpoint.js';
import type { Failure } from '../domain/failure.js';
import { isHindered } from '../domain/is-machine-fault.js';
import { slotOf, workspaceName } from '../domain/pool.js';
import type { Project } from '../domain/project.js';
import { success, type Result } from '../domain/result.js';
import { settingsFor, takenWorkspaces } from '../engine/world-queries.js';
import { commandEnvironment } from '../harness/agent-environment.js';
import type { Clock, Log, Repositories } from '../ports.js';
import type { Paths } from '../record/paths.js';
import type { LiveWorld } from './live-world.js';
import { RetryBook } from './retry-book.js';

type Parts = {
  readonly world: LiveWorld;
  readonly paths: Paths;
  readonly repositories: Pick<Repositories, 'ensureWorktree' | 'prepare'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether nothing is being carried out for any task. */
  isIdle(): boolean;
  /** The pool has changed. */
  onFilled(): void;
};

type Slot = { readonly project: Project; readonly workspace: string };

const NUDGE_MS = 250;

/** Makes worktrees before a task wants them, and sets them up. */
export class PoolFiller {
  readonly #parts: Parts;
  /** Worktrees that could not be made. */
  readonly #retries: RetryBook;
  #timer: NodeJS.Timeout | null = null;
  #isFilling = false;
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#retries = new RetryBook(parts.clock);
  }

  /** Makes every worktree of a pool that is missing, and sets up those that nobody has. */
  async fill(project: Project, onStep: (step: string) => void): Promise<Result<void>> {
    for (const workspace of this.#slotsOf(project)) {
      const made = await this.#makeReady(project, workspace, onStep);
      if (!made.ok) return made;
    }
    return success(undefined);
  }

  /**
   * Goes on filling the pools that are to be filled ahead, one worktree at a time and only while
   * nothing is being done for a task.
   */
  async fillAhead(): Promise<void> {
    if (this.#isFilling) return;
    this.#isFilling = true;
    try {
      for (let next = this.#nextAhead(); next !== null; next = this.#nextAhead()) {
        const { project, workspace } = next;
        const made = await this.#makeReady(project, workspace, () => undefined);
        if (made.ok) this.#retries.succeed(workspace);
        else this.#putOff(workspace, made.failure);
        this.#parts.onFilled();
      }
    } finally {
      this.#isFilling = false;
    }
  }

  /** Something has changed: in a moment it is looked whether there is something to fill. */
  nudge(): void {
    if (this.#isClosed || this.#timer !== null || this.#isFilling) return;
    if (this.#findMissing() === null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#fillQuietly();
    }, NUDGE_MS);
    this.#timer.unref();
  }

  /** Goes on soon where only the machine stood in the way; does nothing where there is none. */
  retryHindered(): void {
    if (this.#retries.takeHindered()) this.nudge();
  }

  /** Begins nothing more. */
  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #fillQuietly(): void {
    this.fillAhead()
      .then(() => this.nudge())
      .catch((error: unknown) => {
        const bug = describeBug(error);
        this.#parts.log.write({ event: 'pool.fill-failed', level: 'error', bug });
      });
  }

  #nextAhead(): Slot | null {
    return this.#isClosed || !this.#parts.isIdle() ? null : this.#findMissing();
  }

  #findMissing(): Slot | null {
    const { world } = this.#parts;
    for (const project of world.projects.values()) {
      if (settingsFor(world, project.name).pool.fill !== 'ahead') continue;
      const workspace = this.#slotsOf(project).find((name) => {
        const isWanting = !world.worktrees.has(name) || world.bare.has(name);
        return this.#retries.isDue(name) && isWanting && !world.quarantined.has(name);
      });
      if (workspace !== undefined) return { project, workspace };
    }
    return null;
  }

  #slotsOf({ name, pool_size: size }: Project): readonly string[] {
    const names = Array.from({ length: size }, (_, index) => workspaceName(name, index + 1));
    return names.filter((workspace) => this.#isNobodys(name, workspace));
  }

  #isNobodys(project: string, workspace: string): boolean {
    return !takenWorkspaces(this.#parts.world, project).has(workspace);
  }

  async #makeReady(
    project: Project,
    workspace: string,
    onStep: (step: string) => void,
  ): Promise<Result<void>> {
    const { world, paths, repositories } = this.#parts;
    if (!this.#isNobodys(project.name, workspace)) return success(undefined);
    const worktree = paths.workspace(workspace);
    const place = { repository: project.path, worktree, defaultBranch: project.default_branch };
    if (!world.worktrees.has(workspace)) onStep(`making ${workspace}`);
    const made = await repositories.ensureWorktree(place);
    if (!made.ok) return made;
    failpoint('pool.worktree-made');
    world.worktrees.add(workspace);
    world.quarantined.delete(workspace);
    // Should the set-up fail, it is tried again for a task.
    world.bare.delete(workspace);
    return repositories.prepare({
      ...place,
      pool: settingsFor(world, project.name).pool,
      logFile: paths.setupLog(workspace),
      env: this.#environment(project, workspace),
      onStep: (step) => onStep(`${step} in ${workspace}`),
      isStillIdle: () => this.#isNobodys(project.name, workspace),
    });
  }

  #environment(project: Project, workspace: string): Record<string, string> {
    const { env, paths } = this.#parts;
    return commandEnvironment(env, {
      ORANGE_HOME: paths.home,
      ORANGE_PROJECT: project.name,
      ORANGE_REPOSITORY: project.path,
      ORANGE_WORKSPACE: paths.workspace(workspace),
      ORANGE_SLOT: String(slotOf(project.name, workspace) ?? 0),
    });
  }

  #putOff(workspace: string, failure: Failure): void {
    const { message } = describeFailure(failure);
    const isNews = this.#retries.fail(workspace, failure);
    // Where the machine stands in the way, that is tried so often that it is said once.
    if (!isNews && isHindered(failure)) return;
    this.#parts.log.write({ event: 'pool.fill-failed', level: 'warn', workspace, message });
  }
}
