import { isTerminal } from '../domain/status.js';
import type { Observation } from '../domain/observation.js';
import type { TaskState } from '../domain/world.js';
import type { Sources } from '../domain/source-health.js';
import { unseenEnds } from '../observe/observe-agents.js';
import type { Look } from '../observe/task-file-observer.js';
import type { Sessions, TerminalEvents, Watching } from '../ports.js';
import type { Loop } from './loop.js';
import { LATE_HINT_MS } from './missed-hints.js';
import { SweepPace } from './sweep-pace.js';
import { dueTimesOf, TaskLooks, type TaskLooksParts } from './task-looks.js';
import { TaskWatches } from './task-watches.js';
import { TerminalWatch } from './terminal-watch.js';

type Parts = Omit<TaskLooksParts, 'isServerKnown'> & {
  readonly sessions: Pick<Sessions, 'list' | 'renameSession'> & { readonly events: TerminalEvents };
  readonly watching: Watching;
};

/**
 * Looks at each unfinished task when something hints at it. The sweep is the net under the hints: it
 * looks at the file stamps of active tasks while all of them can be trusted, and at everything when not.
 */
export class Supervisor {
  readonly #parts: Parts;
  readonly #looks: TaskLooks;
  readonly #watches: TaskWatches;
  readonly #terminals: TerminalWatch;
  /** Tasks with a worktree, or with a start that is to be tried again. */
  readonly #active = new Set<string>();
  /** Tasks that are to be reconsidered at a certain time. */
  readonly #due = new Set<string>();
  /** The launches of each followed task that are known to live. */
  readonly #launches = new Map<string, string>();
  readonly #pace: SweepPace;
  #reported = '';
  #reconciled = 0;
  #loop: Loop | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#pace = new SweepPace(parts);
    this.#looks = new TaskLooks({
      ...parts,
      isServerKnown: () => this.#terminals.isServerKnown(),
    });
    this.#watches = new TaskWatches({
      ...parts,
      onHint: (taskId) => this.#looks.followHint(taskId),
      onOther: (path) => this.#terminals.noteFile(path),
    });
    this.#terminals = new TerminalWatch({
      ...parts,
      active: this.#active,
      onGone: (taskId) => this.#looks.suspect(taskId),
      onUnknown: () => this.#checkActive(),
    });
  }

  attach(loop: Loop): void {
    this.#loop = loop;
    this.#looks.attach(loop);
  }

  /** Reads a task's file, and the copy in its worktree, before a decision needs it. */
  look(taskId: string, look: Look): Observation | null {
    return this.#looks.look(taskId, look);
  }

  /** The first look of all: what agents that ended while nobody watched have written is final. */
  begin(): void {
    this.#terminals.begin();
    this.#hearEnds(this.#parts.world.tasks.keys());
    // What was written before anything was watched could not be hinted at.
    this.#lookAt(this.#unfinished());
  }

  /** Looks at tasks that have only now been taken in. */
  welcome(taskIds: readonly string[]): void {
    this.#hearEnds(taskIds);
    for (const taskId of taskIds) this.#looks.check(taskId);
  }

  /** Looks once at a finished task, whose file nobody writes to any more but a person. */
  judge(taskId: string): void {
    const seen = this.#looks.look(taskId, 'final');
    this.#looks.forget(taskId);
    if (seen !== null) this.#loop?.see(seen);
  }

  #hearEnds(taskIds: Iterable<string>): void {
    for (const taskId of taskIds) {
      const task = this.#parts.world.tasks.get(taskId);
      if (task === undefined) continue;
      for (const ended of unseenEnds(task)) this.#loop?.see(ended);
    }
  }

  /** Looks at what may have gone unnoticed since the last sweep, which should be so long ago. */
  sweep(periodMs: number): void {
    // After a sleep of the machine, or of this process, nothing that was told can be relied on.
    const hasSlept = this.#pace.begin(periodMs) > SLEEP_MS;
    this.#watches.tend();
    this.#terminals.tend();
    this.#report();
    if (hasSlept || this.sources().sweep === 'full') this.#checkActive();
    else this.#glanceAround();
  }

  /** Looks at every unfinished task; at its agents too unless their terminals are known by now. */
  reconcile(): void {
    const isUnhinted = (taskId: string): boolean => !this.#awaitsHint(taskId);
    this.#lookAt(this.#unfinished().filter(isUnhinted));
  }

  #unfinished(): readonly string[] {
    const tasks = [...this.#parts.world.tasks.values()];
    return tasks.flatMap(({ fields }) => (isTerminal(fields.status) ? [] : [fields.id]));
  }

  #lookAt(taskIds: readonly string[]): void {
    this.#reconciled += 1;
    const isThorough = this.#reconciled % THOROUGH_EVERY === 1 || this.sources().sweep === 'full';
    this.#loop?.together(() => {
      for (const taskId of taskIds) {
        if (isThorough) this.#looks.check(taskId);
        else this.#looks.checkFiles(taskId);
      }
      this.#loop?.see({ kind: 'schedule' });
    });
  }

  /** Follows unfinished tasks that have changed, and lets go of finished ones. */
  watchTasks(taskIds: Iterable<string>): void {
    for (const taskId of taskIds) {
      const task = this.#parts.world.tasks.get(taskId);
      const isOver = task === undefined || isTerminal(task.fields.status);
      const isActive = !isOver && (task.fields.workspace !== null || task.startTrouble !== null);
      keep(this.#active, taskId, isActive);
      keep(this.#due, taskId, !isOver && dueTimesOf(task).length > 0);
      if (isOver) this.#unfollow(taskId);
      else {
        this.#looks.awaitDue(task);
        // What was written before a watch was there, or by an agent that was not known yet, told nobody.
        const isWatchNew = this.#watches.follow(task);
        const isAgentNew = this.#noteLaunches(task);
        if (isWatchNew || isAgentNew) this.#looks.lookSoon(taskId);
      }
    }
  }

  /** From where orange learns what happens, and how well. */
  sources(): Sources {
    const files = this.#watches.state();
    const terminals = this.#terminals.state();
    const isTrusted = files.state === 'watching' && this.#terminals.isTrusted();
    return { terminals, files, sweep: isTrusted ? 'net' : 'full' };
  }

  close(): void {
    this.#watches.close();
    this.#looks.close();
  }

  #checkActive(): void {
    this.#report();
    const isFull = this.sources().sweep === 'full';
    this.#loop?.together(() => {
      for (const taskId of this.#active) {
        if (isFull || !this.#awaitsHint(taskId)) this.#looks.check(taskId);
      }
    });
  }

  #glanceAround(): void {
    this.#loop?.together(() => {
      for (const taskId of this.#active) {
        if (this.#looks.isQuiet(taskId) || this.#awaitsHint(taskId)) continue;
        if (this.#looks.glance(taskId)) this.#watches.noteFound(taskId);
      }
      for (const taskId of this.#due) this.#looks.reconsiderWhenDue(taskId);
    });
  }

  /**
   * Leaves a change for a moment to its hint, which may only be late: what orange would write at once
   * hints as well, and a hint that is lost would go unnoticed.
   */
  #awaitsHint(taskId: string): boolean {
    if (!this.#looks.hasChanged(taskId) || !this.#watches.noteFound(taskId)) return false;
    this.#looks.lookSoon(taskId, LATE_HINT_MS);
    return true;
  }

  /** Whether an agent lives that did not when the task was last seen; it may have ended already. */
  #noteLaunches({ fields, worker, reviewer }: TaskState): boolean {
    const live = [worker, reviewer].flatMap((agent) =>
      agent.kind === 'live' ? [agent.launchId] : [],
    );
    const before = this.#launches.get(fields.id) ?? '';
    this.#launches.set(fields.id, live.join(' '));
    return live.some((launchId) => !before.split(' ').includes(launchId));
  }

  #unfollow(taskId: string): void {
    this.#launches.delete(taskId);
    this.#watches.unfollow(taskId);
    this.#looks.forget(taskId);
  }

  /** Writes down when a source of hints fails or comes back. */
  #report(): void {
    const { terminals, files, sweep } = this.sources();
    const facts = {
      terminals: terminals.state === 'down' ? `down: ${terminals.reason}` : terminals.state,
      files: files.state === 'broken' ? `broken: ${files.reason}` : files.state,
      sweep,
    };
    const text = JSON.stringify(facts);
    if (text === this.#reported) return;
    this.#reported = text;
    const level = sweep === 'full' ? 'warn' : 'info';
    this.#parts.log.write({ event: 'sources', level, ...facts });
  }
}

const SLEEP_MS = 3000;
/** While the terminals are listed every few seconds, processes are asked for rarely. */
const THOROUGH_EVERY = 10;

function keep(set: Set<string>, taskId: string, isMember: boolean): void {
  if (isMember) set.add(taskId);
  else set.delete(taskId);
}
