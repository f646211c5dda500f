import { dirname } from 'node:path';
import { isTerminal } from '../domain/status.js';
import type { Observation } from '../domain/observation.js';
import type { TaskState } from '../domain/world.js';
import { settingsFor } from '../engine/world-queries.js';
import { createAgentObserver, unseenEnds, type AgentObserver } from '../observe/observe-agents.js';
import type { Look, TaskFileObserver } from '../observe/task-file-observer.js';
import type { Clock, Files, FileStamp, LaunchRecords, Log, Watch, Watching } from '../ports.js';
import type { Paths } from '../record/paths.js';
import type { LiveWorld } from './live-world.js';
import type { Loop } from './loop.js';
import { mendTaskLink } from './read-task-content.js';

type Parts = {
  readonly world: LiveWorld;
  readonly files: Files;
  readonly paths: Paths;
  readonly observer: TaskFileObserver;
  readonly launches: LaunchRecords;
  readonly watching: Watching;
  readonly clock: Clock;
  readonly log: Log;
};

/** Watches what every unfinished task leaves on disk. Events are hints; the sweep is the truth. */
export class Supervisor {
  readonly #parts: Parts;
  readonly #agents: AgentObserver;
  readonly #watches = new Map<string, Map<string, Watch>>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #copies = new Map<string, { readonly stamp: FileStamp; readonly sinceMs: number }>();
  #loop: Loop | null = null;
  #isWatchingBroken = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#agents = createAgentObserver(parts);
  }

  attach(loop: Loop): void {
    this.#loop = loop;
  }

  /** Looks at one task: its file, the copy in its worktree, its agents. */
  look(taskId: string, look: Look): Observation | null {
    const task = this.#parts.world.tasks.get(taskId);
    if (task === undefined) return null;
    const { policy } = settingsFor(this.#parts.world, task.fields.project);
    this.#mendLink(task, look, policy.settleMs);
    const seen = this.#parts.observer.observe(task, look, policy.settleMs);
    if (seen?.kind === 'file-read' && !seen.isSettled) this.#lookAgainIn(taskId, policy.settleMs);
    return seen;
  }

  /** Follows up a hint that something about this task changed. */
  check(taskId: string): void {
    const { world } = this.#parts;
    const seen = this.look(taskId, 'changed');
    if (seen !== null) this.#loop?.see(seen);
    const task = world.tasks.get(taskId);
    if (task === undefined) return;
    const { ended, againInMs } = this.#agents.observe(task);
    for (const end of ended) this.#loop?.see(end);
    if (againInMs !== null) this.#lookAgainIn(taskId, againInMs);
    this.#reconsiderWhenDue(taskId);
  }

  /** The net under the events: every task with an agent, by file stamps and process states alone. */
  sweep(): void {
    this.#loop?.together(() => {
      for (const task of this.#parts.world.tasks.values()) {
        if (task.fields.workspace !== null || task.startTrouble !== null) {
          this.check(task.fields.id);
        }
      }
    });
  }

  /** The first look of all: what agents that ended while nobody watched have written is final. */
  begin(): void {
    for (const task of this.#parts.world.tasks.values()) {
      for (const ended of unseenEnds(task)) this.#loop?.see(ended);
    }
    this.reconcile();
  }

  /** Looks at every unfinished task. */
  reconcile(): void {
    this.#loop?.together(() => {
      for (const task of this.#parts.world.tasks.values()) {
        if (!isTerminal(task.fields.status)) this.check(task.fields.id);
      }
      this.#loop?.see({ kind: 'schedule' });
    });
  }

  /** Watches the directories of unfinished tasks and lets go of finished ones. */
  watchTasks(taskIds: Iterable<string>): void {
    for (const taskId of taskIds) {
      const task = this.#parts.world.tasks.get(taskId);
      if (task === undefined || isTerminal(task.fields.status)) this.#unwatch(taskId);
      else this.#watch(task);
      this.#scheduleRespawn(task);
    }
  }

  close(): void {
    for (const taskId of Array.from(this.#watches.keys())) this.#unwatch(taskId);
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #watch(task: TaskState): void {
    const { paths, watching, log } = this.#parts;
    const { project, id, workspace } = task.fields;
    const wanted = [
      dirname(paths.taskFile(project, id)),
      ...(workspace === null ? [] : [paths.workspace(workspace), paths.launchDir(id)]),
    ];
    const current = this.#watches.get(id) ?? new Map<string, Watch>();
    for (const [directory, watch] of current) {
      if (wanted.includes(directory)) continue;
      watch.close();
      current.delete(directory);
    }
    for (const directory of wanted) {
      if (current.has(directory)) continue;
      const watch = watching.watch(directory, (name) => this.#onHint(id, directory, name));
      if (watch.ok) current.set(directory, watch.value);
      else if (!this.#isWatchingBroken) {
        this.#isWatchingBroken = true;
        log.write({ event: 'watch.failed', level: 'warn', directory, failure: watch.failure.kind });
      }
    }
    this.#watches.set(id, current);
  }

  #onHint(taskId: string, directory: string, name: string | null): void {
    if (name === null) {
      // The watcher is gone; the next round makes a new one, the sweep covers the gap.
      this.#watches.get(taskId)?.delete(directory);
    } else if (name !== 'TASK.md' && !name.endsWith('.exit')) return;
    this.check(taskId);
  }

  #unwatch(taskId: string): void {
    for (const watch of this.#watches.get(taskId)?.values() ?? []) watch.close();
    this.#watches.delete(taskId);
    this.#copies.delete(taskId);
    const timer = this.#timers.get(taskId);
    if (timer !== undefined) clearTimeout(timer);
    this.#timers.delete(taskId);
  }

  #mendLink(task: TaskState, look: Look, settleMs: number): void {
    const { id, status } = task.fields;
    // A worktree that is being freed must lose its link.
    if (task.activity === 'releasing' || isTerminal(status)) return;
    const state = mendTaskLink(this.#parts, task, (stamp) =>
      look === 'changed' ? this.#isCopyQuiet(id, stamp, settleMs) : true,
    );
    if (state === 'unsettled') this.#lookAgainIn(id, settleMs);
    else this.#copies.delete(id);
    if (state === 'adopted' || state === 'mended') {
      this.#parts.log.write({ event: `link.${state}`, task: id });
    }
  }

  #isCopyQuiet(taskId: string, stamp: FileStamp, settleMs: number): boolean {
    const now = this.#parts.clock.monotonicMs();
    const before = this.#copies.get(taskId);
    const isSame =
      before !== undefined &&
      before.stamp.mtimeMs === stamp.mtimeMs &&
      before.stamp.size === stamp.size &&
      before.stamp.inode === stamp.inode;
    if (!isSame) this.#copies.set(taskId, { stamp, sinceMs: now });
    return settleMs === 0 || (isSame && now - before.sinceMs >= settleMs);
  }

  #lookAgainIn(taskId: string, delayMs: number): void {
    const timer = this.#timers.get(taskId);
    if (timer !== undefined) clearTimeout(timer);
    const again = setTimeout(() => {
      this.#timers.delete(taskId);
      this.check(taskId);
    }, delayMs + 5);
    this.#timers.set(taskId, again);
  }

  #reconsiderWhenDue(taskId: string): void {
    const task = this.#parts.world.tasks.get(taskId);
    const now = this.#parts.clock.monotonicMs();
    const isDue = (atMs: number | null | undefined): boolean =>
      atMs !== null && atMs !== undefined && now >= atMs;
    if (isDue(task?.respawnAtMs) || isDue(task?.undelivered?.retryAtMs))
      this.#loop?.see({ kind: 'reconsider', taskId });
    if (isDue(task?.startTrouble?.retryAtMs)) {
      this.#loop?.see({ kind: 'reconsider', taskId });
      this.#loop?.see({ kind: 'schedule' });
    }
  }

  #scheduleRespawn(task: TaskState | undefined): void {
    const atMs = task?.respawnAtMs;
    if (task === undefined || atMs === null || atMs === undefined) return;
    const delayMs = Math.max(0, atMs - this.#parts.clock.monotonicMs());
    if (delayMs <= 1000) setTimeout(() => this.#reconsiderWhenDue(task.fields.id), delayMs + 1);
  }
}
