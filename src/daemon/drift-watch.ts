import { join } from 'node:path';
import { describeBug } from '../domain/describe-bug.js';
import type { Observation } from '../domain/observation.js';
import type { TaskState } from '../domain/world.js';
import { declaredPaths } from '../engine/reservations/reservations.js';
import { findGitDirectory } from '../observe/activity-stamps.js';
import type { Clock, Files, Log, Sessions } from '../ports.js';
import type { Paths } from '../record/paths.js';
import type { LiveWorld } from './live-world.js';

type Parts = {
  readonly world: LiveWorld;
  readonly files: Files;
  readonly paths: Paths;
  readonly clock: Clock;
  readonly log: Log;
  readonly sessions: Pick<Sessions, 'lastOutput'>;
  measure(taskId: string): Promise<Observation | null>;
  see(observation: Observation): void;
};

/** What was known of a task when its changes were last looked at. */
type Mark = {
  /** The state of git's log of what was checked out. */
  readonly commits: string | null;
  /** The second in which its worker last put something on its screen. */
  readonly output: number | undefined;
  readonly atMs: number;
};

/**
 * Looks at what a task has changed: at once after a commit, and while its worker gets on now and
 * then, as it may change files for long before it commits. git is asked only then.
 */
export class DriftWatch {
  readonly #parts: Parts;
  readonly #marks = new Map<string, Mark>();
  #isLooking = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Looks at tasks at work; not while an earlier look is still under way. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.#lookAtAll();
    } finally {
      this.#isLooking = false;
    }
  }

  async #lookAtAll(): Promise<void> {
    const { world, sessions } = this.#parts;
    const atWork = [...world.tasks.values()].filter(isWatched);
    const ids = new Set(atWork.map(({ fields }) => fields.id));
    for (const id of this.#marks.keys()) if (!ids.has(id)) this.#marks.delete(id);
    if (atWork.length === 0) return;
    const output = await sessions.lastOutput();
    for (const task of atWork) {
      const isDue = this.#isDue(task, output.ok ? output.value : new Map());
      if (isDue) await this.#measure(task.fields.id);
    }
  }

  async #measure(taskId: string): Promise<void> {
    try {
      const seen = await this.#parts.measure(taskId);
      if (seen !== null) this.#parts.see(seen);
    } catch (error) {
      // A bug in the look at one must not keep the others from being looked at.
      const bug = describeBug(error);
      this.#parts.log.write({ event: 'drift.failed', level: 'error', task: taskId, bug });
    }
  }

  /** Whether there may be something new since the last time; the first look only begins. */
  #isDue({ fields, worker }: TaskState, output: ReadonlyMap<string, number>): boolean {
    const atMs = this.#parts.clock.monotonicMs();
    const now: Mark = {
      commits: this.#stampOfCommits(fields.workspace ?? '-'),
      output: worker.kind === 'live' ? output.get(worker.launchId) : undefined,
      atMs,
    };
    const before = this.#marks.get(fields.id);
    if (before !== undefined) {
      const hasCommitted = now.commits !== null && now.commits !== before.commits;
      const isActive = now.output !== undefined && now.output !== before.output;
      const isRested = atMs - before.atMs >= REST_MS;
      if (!hasCommitted && !(isActive && isRested)) return false;
    }
    this.#marks.set(fields.id, now);
    return before !== undefined;
  }

  #stampOfCommits(workspace: string): string | null {
    const { files, paths } = this.#parts;
    const directory = findGitDirectory(files, paths.workspace(workspace));
    const state = directory === null ? null : files.stat(join(directory, 'logs', 'HEAD'));
    if (state === null || !state.ok || state.value.kind !== 'file') return null;
    const { mtimeMs, size, inode } = state.value.stamp;
    return `${mtimeMs} ${size} ${inode}`;
  }
}

/** How long nothing but a commit is looked into. */
const REST_MS = 60_000;

function isWatched(task: TaskState): boolean {
  const { status, workspace } = task.fields;
  return status === 'working' && workspace !== null && declaredPaths(task).length > 0;
}
