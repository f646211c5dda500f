import type { Failure } from '../domain/failure.js';
import type { Trial } from '../domain/merge-request.js';
import { DONE, type Result } from '../domain/result.js';
import type { Clock, Files, Log, Repositories } from '../ports.js';
import type { Paths } from '../record/paths.js';
import type { LiveWorld } from './live-world.js';
import { RetryBook } from './retry-book.js';

type Parts = {
  readonly world: LiveWorld;
  readonly files: Pick<Files, 'list'>;
  readonly paths: Paths;
  readonly log: Log;
  readonly clock: Clock;
  readonly repositories: Pick<Repositories, 'clearTrial'>;
};

/**
 * Removes the checkouts of trials that a killed daemon left, or that could not be removed when they
 * were over. Nothing in them is work.
 */
export class LeftTrials {
  readonly #parts: Parts;
  readonly #retries: RetryBook;
  readonly #left = new Set<string>();
  #isListed = false;
  #isTending = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#retries = new RetryBook(parts.clock);
  }

  /** Where a task's work is tried. */
  place(taskId: string): Pick<Trial, 'directory' | 'onLeft'> {
    return {
      directory: this.#parts.paths.trialDir(taskId),
      onLeft: (failure) => this.#put(taskId, failure),
    };
  }

  /** Tries to remove what is due; to be called now and then. */
  async tend(): Promise<void> {
    if (this.#isTending) return;
    this.#isTending = true;
    try {
      this.#findLeft();
      for (const taskId of [...this.#left].filter((each) => this.#retries.isDue(each))) {
        const cleared = await this.#clear(taskId);
        if (!cleared.ok) this.#put(taskId, cleared.failure);
        else {
          this.#left.delete(taskId);
          this.#retries.succeed(taskId);
        }
      }
    } finally {
      this.#isTending = false;
    }
  }

  /** What an earlier daemon left. */
  #findLeft(): void {
    if (this.#isListed) return;
    const { files, paths } = this.#parts;
    const listed = files.list(paths.trialsDir);
    const failure = listed.ok ? null : listed.failure;
    this.#isListed =
      failure === null || (failure.kind === 'io-failed' && failure.code === 'ENOENT');
    for (const taskId of listed.ok ? listed.value : []) this.#left.add(taskId);
  }

  #put(taskId: string, failure: Failure): void {
    this.#left.add(taskId);
    if (!this.#retries.fail(taskId, failure)) return;
    const directory = this.#parts.paths.trialDir(taskId);
    const { kind } = failure;
    this.#parts.log.write({ event: 'trial.not-removed', level: 'warn', directory, failure: kind });
  }

  async #clear(taskId: string): Promise<Result<void>> {
    const { world, paths, repositories } = this.#parts;
    const owner = world.tasks.get(taskId)?.fields.project;
    const directory = paths.trialDir(taskId);
    for (const { name, path } of world.projects.values()) {
      if (owner !== undefined && owner !== name) continue;
      const cleared = await repositories.clearTrial(path, directory);
      if (!cleared.ok) return cleared;
    }
    return DONE;
  }
}
