import type { Observation } from '../domain/observation.js';
import type { TaskState } from '../domain/world.js';
import { settingsFor } from '../engine/world-queries.js';
import {
  createAgentObserver,
  type AgentObserver,
  type LostAgents,
} from '../observe/observe-agents.js';
import type { Look, TaskFileObserver } from '../observe/task-file-observer.js';
import type { Clock, Files, LaunchRecords, Log } from '../ports.js';
import type { Paths } from '../record/paths.js';
import type { TaskStore } from '../record/task-store.js';
import { Alarms } from './alarms.js';
import { HintPacer } from './hint-pacer.js';
import { LinkKeeper } from './link-keeper.js';
import type { LiveWorld } from './live-world.js';
import type { Loop } from './loop.js';
import { StrayCopies } from './stray-copies.js';

export type TaskLooksParts = {
  readonly world: LiveWorld;
  readonly files: Files;
  readonly paths: Paths;
  readonly store: TaskStore;
  readonly observer: TaskFileObserver;
  readonly launches: LaunchRecords;
  readonly lost: LostAgents;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether it is known how the terminal server gets on. */
  readonly isServerKnown: () => boolean;
  /** An agent goes on living though its terminal is gone, or seemed to be. */
  onOutlived(): void;
};

/** Looks at one task at a time, and once more when it is too early to judge what was seen. */
export class TaskLooks {
  readonly #parts: TaskLooksParts;
  readonly #agents: AgentObserver;
  readonly #links: LinkKeeper;
  readonly #copies: StrayCopies;
  readonly #alarms: Alarms;
  readonly #pacer = new HintPacer();
  /** Since when agents seem to live though their terminal is gone; monotonic time. */
  readonly #suspects = new Map<string, number>();
  #loop: Loop | null = null;

  constructor(parts: TaskLooksParts) {
    this.#parts = parts;
    this.#agents = createAgentObserver(parts);
    this.#links = new LinkKeeper({ ...parts, onKept: (kept) => this.#loop?.see(kept) });
    this.#copies = new StrayCopies(parts);
    this.#alarms = new Alarms(
      () => parts.clock.monotonicMs(),
      (taskId) => this.check(taskId),
    );
  }

  attach(loop: Loop): void {
    this.#loop = loop;
  }

  /** Looks at the task's file, and at the copy in its worktree. */
  look(taskId: string, look: Look): Observation | null {
    const task = this.#parts.world.tasks.get(taskId);
    if (task === undefined) return null;
    const settleMs = this.#settleMs(task);
    const againInMs = this.#links.mend(task, look, settleMs);
    this.#copies.noteSeen(task);
    if (againInMs !== null) this.#alarms.wakeIn(taskId, againInMs);
    return this.#observe(task, look);
  }

  /** Whether stamps alone show that there is nothing to look at: the cheapest look. */
  isQuiet(taskId: string): boolean {
    const task = this.#parts.world.tasks.get(taskId);
    if (task === undefined) return true;
    return this.#parts.observer.isQuiet(task) && this.#copies.find(task) === 'nothing';
  }

  /** Whether stamps show that somebody has written since the last look. */
  hasChanged(taskId: string): boolean {
    const task = this.#parts.world.tasks.get(taskId);
    if (task === undefined) return false;
    // While a worktree is made or freed, orange itself is at it.
    const isSaved = task.activity === null && this.#copies.find(task) === 'file';
    return isSaved || this.#parts.observer.hasNewStamp(task);
  }

  /** Looks at what is not quiet; true when the task's file has changed since somebody last looked. */
  glance(taskId: string): boolean {
    const startMs = this.#parts.clock.monotonicMs();
    this.checkFiles(taskId);
    return this.#parts.observer.hasChangedSince(taskId, startMs);
  }

  /** Looks at the task's file and at the copy in its worktree, and passes on what is new. */
  checkFiles(taskId: string): void {
    const seen = this.look(taskId, 'changed');
    if (seen !== null) this.#loop?.see(seen);
  }

  /** Looks at everything: the task's files and its agents. */
  check(taskId: string): void {
    const task = this.#parts.world.tasks.get(taskId);
    if (task === undefined) return;
    const { ended, againInMs } = this.#agents.observe(task);
    // Whoever hears of an end reads the files first.
    for (const end of ended) this.#loop?.see(end);
    this.checkFiles(taskId);
    if (againInMs !== null) this.#alarms.wakeIn(taskId, againInMs);
    this.#checkSuspect(taskId);
    this.reconsiderWhenDue(taskId);
  }

  /** Follows a hint that something about this task changed; not each one when they come in crowds. */
  followHint(taskId: string): void {
    const waitMs = this.#pacer.waitMs(taskId, this.#parts.clock.monotonicMs());
    if (waitMs === 0) this.#alarms.ring(taskId);
    else this.#alarms.wakeIn(taskId, waitMs);
  }

  /** Looks in a while; without one, as soon as what is going on now is done. */
  lookSoon(taskId: string, inMs = 0): void {
    this.#alarms.wakeIn(taskId, inMs);
  }

  /** Looks now and a few times more: what lost its terminal ends in a moment. */
  suspect(taskId: string): void {
    const sinceMs = this.#suspects.get(taskId) ?? this.#parts.clock.monotonicMs();
    this.#suspects.set(taskId, sinceMs);
    this.check(taskId);
  }

  /** Lets the loop think again about a task whose time has come. */
  reconsiderWhenDue(taskId: string): void {
    const task = this.#parts.world.tasks.get(taskId);
    if (task === undefined) return;
    this.awaitDue(task);
    const isDue = dueTimesOf(task).some((atMs) => this.#remainingMs(atMs) === 0);
    if (isDue) this.#loop?.see({ kind: 'reconsider', taskId });
    const retryAtMs = task.startTrouble?.retryAtMs ?? Number.POSITIVE_INFINITY;
    if (this.#remainingMs(retryAtMs) === 0) this.#loop?.see({ kind: 'schedule' });
  }

  /** Looks again when the task is to be reconsidered; what is overdue is left to the sweep. */
  awaitDue(task: TaskState): void {
    const remaining = dueTimesOf(task).map((atMs) => this.#remainingMs(atMs));
    const nextMs = Math.min(...remaining.filter((ms) => ms > 0));
    if (Number.isFinite(nextMs)) this.#alarms.wakeIn(task.fields.id, nextMs);
  }

  forget(taskId: string): void {
    this.#alarms.cancel(taskId);
    this.#pacer.forget(taskId);
    this.#links.forget(taskId);
    this.#copies.forget(taskId);
    this.#suspects.delete(taskId);
    this.#parts.observer.forget(taskId);
  }

  close(): void {
    this.#alarms.close();
  }

  #observe(task: TaskState, look: Look): Observation | null {
    const { observer } = this.#parts;
    const settleMs = this.#settleMs(task);
    const seen = observer.observe(task, look, settleMs);
    const settlesInMs = observer.settlesInMs(task.fields.id, settleMs);
    if (settlesInMs !== null) this.#alarms.wakeIn(task.fields.id, settlesInMs);
    return seen;
  }

  #settleMs(task: TaskState): number {
    return settingsFor(this.#parts.world, task.fields.project).policy.settleMs;
  }

  #checkSuspect(taskId: string): void {
    const sinceMs = this.#suspects.get(taskId);
    if (sinceMs === undefined) return;
    const task = this.#parts.world.tasks.get(taskId);
    const isLive = task?.worker.kind === 'live' || task?.reviewer.kind === 'live';
    const elapsedMs = this.#parts.clock.monotonicMs() - sinceMs;
    const nextMs = SUSPECT_AT_MS.find((atMs) => atMs > elapsedMs);
    if (isLive && nextMs !== undefined) {
      this.#alarms.wakeIn(taskId, nextMs - elapsedMs);
      return;
    }
    this.#suspects.delete(taskId);
    if (isLive) this.#parts.onOutlived();
  }

  #remainingMs(atMs: number): number {
    return Math.max(0, atMs - this.#parts.clock.monotonicMs());
  }
}

// After the last, whoever was going to end by itself has had its time.
const SUSPECT_AT_MS = [30, 130, 430, 1430, 4430];

/** The times at which a task wants to be reconsidered, come what may. */
export function dueTimesOf({
  respawnAtMs,
  undelivered,
  startTrouble,
  lost,
}: TaskState): readonly number[] {
  const times = [respawnAtMs, undelivered?.retryAtMs, startTrouble?.retryAtMs, lost?.dueAtMs];
  return times.filter((atMs) => atMs !== null && atMs !== undefined);
}
