import { describeBug } from '../domain/describe-bug.js';
import type { Failure } from '../domain/failure.js';
import type { Observation } from '../domain/observation.js';
import type { Project } from '../domain/project.js';
import { isTerminal } from '../domain/status.js';
import type { TaskState } from '../domain/world.js';
import { settingsFor } from '../engine/world-queries.js';
import { lookCloser } from '../execute/pull-request.js';
import type { Clock, Log, PullRequests, Repositories } from '../ports.js';
import type { LiveWorld } from './live-world.js';

type Parts = {
  readonly world: LiveWorld;
  readonly pullRequests: PullRequests;
  readonly repositories: Repositories;
  readonly clock: Clock;
  readonly log: Log;
  workspacePath(workspace: string): string;
  see(observation: Observation): void;
};

type Pace = { readonly failures: number; readonly atMs: number };

const LONGEST_PAUSE_MS = 60 * 60_000;

/** Asks GitHub now and then how the pull requests of unfinished tasks are; ever more rarely in trouble. */
export class PullRequestWatch {
  readonly #parts: Parts;
  /** By project: when it is asked next. */
  readonly #paces = new Map<string, Pace>();
  #isAsking = false;
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Asks in the background about every project that is due. */
  nudge(): void {
    if (this.#isClosed || this.#isAsking) return;
    if (this.#findDue() === null) return;
    this.ask().catch((error: unknown) => {
      const bug = describeBug(error);
      this.#parts.log.write({ event: 'pull-requests.failed', level: 'error', bug });
    });
  }

  /** Asks about the projects that are due, one after the other. */
  async ask(): Promise<void> {
    this.#isAsking = true;
    try {
      for (let due = this.#findDue(); due !== null; due = this.#findDue()) await this.#askOf(due);
    } finally {
      this.#isAsking = false;
    }
  }

  /** Begins nothing more. */
  close(): void {
    this.#isClosed = true;
  }

  #findDue(): Project | null {
    if (this.#isClosed) return null;
    const { world, clock } = this.#parts;
    const now = clock.monotonicMs();
    const isDue = ({ name }: Project): boolean =>
      this.#periodMs(name) > 0 &&
      now >= (this.#paces.get(name)?.atMs ?? -Infinity) &&
      this.#published(name).length > 0;
    return [...world.projects.values()].find(isDue) ?? null;
  }

  #published(project: string): readonly TaskState[] {
    return [...this.#parts.world.tasks.values()].filter(
      ({ fields }) =>
        fields.project === project && fields.pr_url !== null && !isTerminal(fields.status),
    );
  }

  async #askOf(project: Project): Promise<void> {
    const { pullRequests, log } = this.#parts;
    const tasks = this.#published(project.name);
    const seen = await pullRequests.viewAll(tasks.flatMap(({ fields }) => fields.pr_url ?? []));
    const failures = seen.ok ? 0 : (this.#paces.get(project.name)?.failures ?? 0) + 1;
    this.#putOff(project.name, failures);
    if (!seen.ok) {
      // Trouble that goes on is told once.
      const level = failures === 1 ? 'warn' : 'debug';
      const facts = { project: project.name, ...reasonOf(seen.failure) };
      log.write({ event: 'pull-requests.not-seen', level, ...facts });
      return;
    }
    for (const task of tasks) {
      const pullRequest = seen.value.find(({ url }) => url === task.fields.pr_url);
      if (pullRequest === undefined || this.#isClosed) continue;
      const asked = { task, project, askedBy: 'daemon', purpose: 'sync' } as const;
      this.#parts.see(await lookCloser(this.#parts, asked, pullRequest));
    }
  }

  #putOff(project: string, failures: number): void {
    const pauseMs = this.#periodMs(project) * 2 ** Math.min(failures, 20);
    const longest = Math.max(LONGEST_PAUSE_MS, this.#periodMs(project));
    const atMs = this.#parts.clock.monotonicMs() + Math.min(pauseMs, longest);
    this.#paces.set(project, { failures, atMs });
  }

  #periodMs(project: string): number {
    return settingsFor(this.#parts.world, project).pr.pollMinutes * 60_000;
  }
}

function reasonOf(failure: Failure): { readonly failure: string; readonly reason?: string } {
  const { kind } = failure;
  return kind === 'github-unavailable'
    ? { failure: kind, reason: failure.reason }
    : { failure: kind };
}
