import type { Change } from '../api/protocol.js';
import type { Server } from '../api/server.js';
import type { Moment } from '../domain/observation.js';
import { isTerminal } from '../domain/status.js';
import { explainReservation } from '../engine/reservations/explain-reservation.js';
import { explainWait } from '../engine/schedule.js';
import { surveyQueue } from '../engine/queue-outlook.js';
import { projectViews, queueOf, taskViews, workspaceViews } from './build-view.js';
import type { LiveWorld } from './live-world.js';
import type { Trust } from './load-settings.js';
import { PlaceBook } from './place-book.js';
import type { PoolKeeper } from './pool-keeper.js';
import type { Supervisor } from './supervisor.js';

type Parts = {
  readonly world: LiveWorld;
  readonly supervisor: Pick<Supervisor, 'watchTasks'>;
  readonly pool: Pick<PoolKeeper, 'save' | 'saveSoon'>;
  now(): Moment;
  workspacePath(workspace: string): string;
};

/** Those who want to hear of changes. */
type Audience = Pick<Server, 'hasSubscribers' | 'broadcast'>;

/** After each burst of changes: what is watched, the pool file and every view follow the world. */
export class Broadcaster {
  readonly #parts: Parts;
  #server: Audience | null = null;
  /** What tasks were last said to wait for or to share, by their ids. */
  readonly #reasons = new Map<string, string>();
  /** The worktrees as they were last sent. */
  #workspaces: string | null = null;
  /** The queue as it was last sent. */
  #queue: string | null = null;
  readonly #places = new PlaceBook();
  #isExplaining = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  attach(server: Audience): void {
    this.#server = server;
  }

  publish(): void {
    const { world, supervisor, pool } = this.#parts;
    const touched = [...world.touched];
    world.touched.clear();
    if (touched.length === 0) return;
    for (const taskId of touched) {
      const workspace = world.tasks.get(taskId)?.fields.workspace ?? null;
      if (workspace !== null) world.worktrees.add(workspace);
    }
    supervisor.watchTasks(touched);
    const hasPoolChanged = this.#places.note(world, touched);
    // A start that was just begun is not held up.
    const isStarting = touched.some((id) => world.tasks.get(id)?.reservedWorkspace != null);
    if (hasPoolChanged && isStarting) pool.saveSoon(world);
    else if (hasPoolChanged) pool.save(world);
    this.#send(touched, { workspaces: hasPoolChanged ? this.#newWorkspaces() : null });
  }

  /** Tells views what is now wrong with files that belong to no task. */
  publishProblems(): void {
    this.#send([], {});
  }

  /** Tells of worktrees that came or went without a task. */
  publishPool(): void {
    this.#parts.pool.save(this.#parts.world);
    this.#send([], { workspaces: this.#newWorkspaces() });
  }

  /** Lets every dashboard ring. */
  publishAlert(alert: string): void {
    const nothing = { projects: null, workspaces: null, problems: null };
    this.#server?.broadcast({ tasks: [], removed: [], ...nothing, alert });
  }

  publishProjects(trustOf: (project: string) => Trust): void {
    const { world, pool } = this.#parts;
    pool.save(world);
    this.#send([], {
      projects: projectViews(world, trustOf),
      workspaces: this.#newWorkspaces(),
    });
  }

  #send(
    touched: readonly string[],
    { projects = null, workspaces = null }: Partial<Pick<Change, 'projects' | 'workspaces'>>,
  ): void {
    const { world } = this.#parts;
    if (this.#server?.hasSubscribers() !== true) {
      // Whoever subscribes next gets a snapshot, which may say something else than was last sent.
      this.#reasons.clear();
      this.#queue = null;
      return;
    }
    this.#server.broadcast({
      ...this.#about(touched, this.#parts.now()),
      removed: touched.filter((taskId) => !world.tasks.has(taskId)),
      projects,
      workspaces,
    });
    this.#explainSoon();
  }

  /** What has become of some tasks, and what is wrong. */
  #about(taskIds: readonly string[], moment: Moment): Pick<Change, 'tasks' | 'problems'> {
    const { world } = this.#parts;
    const tasks = taskIds.flatMap((taskId) => world.tasks.get(taskId) ?? []);
    const problems = [...world.problems.values()].flat();
    return { tasks: taskViews(world, tasks, moment), problems };
  }

  /** What a change means for all the others takes a look at each of them: nobody has to wait for that. */
  #explainSoon(): void {
    if (this.#isExplaining) return;
    this.#isExplaining = true;
    setImmediate(() => {
      this.#isExplaining = false;
      if (this.#server?.hasSubscribers() !== true) return;
      const moment = this.#parts.now();
      const told = this.#newlyExplained(moment);
      const queue = this.#newQueue(moment);
      if (told.length === 0 && queue.queue === undefined) return;
      const nothing = { removed: [], projects: null, workspaces: null };
      this.#server.broadcast({ ...this.#about(told, moment), ...nothing, ...queue });
    });
  }

  /** The order of the queue when it has changed, else nothing. */
  #newQueue(moment: Moment): Pick<Change, 'queue'> {
    const queue = queueOf(this.#parts.world, moment);
    const text = queue.join('\n');
    if (text === this.#queue) return {};
    this.#queue = text;
    return { queue };
  }

  /** All worktrees when one of them has changed, else null. */
  #newWorkspaces(): Change['workspaces'] {
    if (this.#server?.hasSubscribers() !== true) {
      this.#workspaces = null;
      return null;
    }
    const views = workspaceViews(this.#parts.world, (name) => this.#parts.workspacePath(name));
    const text = JSON.stringify(views);
    if (text === this.#workspaces) return null;
    this.#workspaces = text;
    return views;
  }

  /** Tasks whose reason to wait, or whose overlap, has changed because something else did. */
  #newlyExplained(moment: Moment): readonly string[] {
    const { world } = this.#parts;
    const outlook = surveyQueue(world);
    const before = new Map(this.#reasons);
    this.#reasons.clear();
    for (const task of world.tasks.values()) {
      if (isTerminal(task.fields.status)) continue;
      const reasons =
        task.fields.status === 'pending'
          ? explainWait(world, task, moment, outlook)
          : explainReservation(world, task);
      this.#reasons.set(task.fields.id, reasons.map(({ message }) => message).join('\n'));
    }
    return [...this.#reasons].flatMap(([id, text]) => (before.get(id) === text ? [] : [id]));
  }
}
