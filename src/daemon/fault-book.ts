import { isFault, type Diagnostic } from '../domain/diagnostic.js';
import type { Failure } from '../domain/failure.js';
import type { Moment, Observation } from '../domain/observation.js';
import { TaskBug } from '../domain/task-bug.js';
import type { Log } from '../ports.js';
import { errorAt } from '../record/diagnostic-codes.js';
import type { Paths } from '../record/paths.js';
import type { LiveWorld } from './live-world.js';

/** A bug of orange that came up while it dealt with one task. */
type Fault = {
  readonly failures: number;
  /** Monotonic time of the next try. */
  readonly retryAtMs: number;
  /** Whether the task is being dealt with again, to see if the bug is still there. */
  readonly isOnTrial: boolean;
  readonly held: ReadonlyMap<string, Observation>;
};

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 300_000;
const MAX_HELD = 100;

type FaultParts = {
  readonly world: LiveWorld;
  readonly log: Log;
  readonly paths: Pick<Paths, 'taskFile'>;
};

/** Remembers the tasks that orange fails at, and what was seen of them meanwhile. */
export class FaultBook {
  readonly #parts: FaultParts;
  readonly #faults = new Map<string, Fault>();

  constructor(parts: FaultParts) {
    this.#parts = parts;
  }

  /** Marks the task that a bug came up with; a bug that is about none is thrown on. */
  blame(
    error: unknown,
    subject: string | null,
    moment: Moment,
  ): { readonly taskId: string; readonly isNews: boolean } {
    const taskId = error instanceof TaskBug ? error.taskId : subject;
    if (taskId === null) throw error;
    const wasHeld = this.isHeldBack(taskId);
    const message = error instanceof Error ? error.message : String(error);
    const bug = error instanceof Error ? (error.stack ?? message) : message;
    this.#parts.log.write({ event: 'task.fault', level: 'error', task: taskId, bug });
    const { world, paths } = this.#parts;
    const task = world.tasks.get(taskId);
    if (task !== undefined) {
      this.#note(taskId, moment);
      const problem = describeFault(paths.taskFile(task.fields.project, taskId), message);
      world.putTask({ ...task, problems: [...task.problems.filter(isOther), problem] });
    }
    return { taskId, isNews: !wasHeld };
  }

  /** What whoever asks something of such a task is told. */
  failureOf(taskId: string): Failure {
    const problems = this.#parts.world.tasks.get(taskId)?.problems ?? [];
    return {
      kind: 'internal',
      message: problems.find(isFault)?.message ?? `a fault with ${taskId}`,
    };
  }

  /** Each time the next try is later. */
  #note(taskId: string, { monotonicMs }: Moment): void {
    const known = this.#faults.get(taskId);
    const failures = (known?.failures ?? 0) + 1;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    const held = known?.held ?? new Map<string, Observation>();
    this.#faults.set(taskId, {
      failures,
      retryAtMs: monotonicMs + pauseMs,
      isOnTrial: false,
      held,
    });
  }

  /** Whether what is seen of a task has to wait. */
  isHeldBack(taskId: string): boolean {
    return this.#faults.get(taskId)?.isOnTrial === false;
  }

  /** Keeps what was seen of a task; of several that say the same kind of thing, the last. */
  hold(taskId: string, observation: Observation): void {
    const fault = this.#faults.get(taskId);
    if (fault === undefined) return;
    const held = new Map(fault.held);
    const key = keyOf(observation, held.size);
    held.delete(key);
    held.set(key, observation);
    const [oldest] = held.keys();
    if (held.size > MAX_HELD && oldest !== undefined) held.delete(oldest);
    this.#faults.set(taskId, { ...fault, held });
  }

  /** Lets a task be dealt with again, to see if the bug is still there. */
  lift(taskId: string | null, { monotonicMs }: Moment): void {
    const fault = taskId === null ? undefined : this.#faults.get(taskId);
    if (fault === undefined || taskId === null) return;
    this.#faults.set(taskId, { ...fault, retryAtMs: monotonicMs, isOnTrial: true });
    const { world } = this.#parts;
    const task = world.tasks.get(taskId);
    if (task !== undefined) world.putTask({ ...task, problems: task.problems.filter(isOther) });
  }

  /** Tasks that are to be tried again now. */
  due({ monotonicMs }: Moment): readonly string[] {
    return [...this.#faults]
      .filter(([, fault]) => fault.retryAtMs <= monotonicMs)
      .map(([id]) => id);
  }

  takeHeld(taskId: string): readonly Observation[] {
    const fault = this.#faults.get(taskId);
    if (fault === undefined) return [];
    this.#faults.set(taskId, { ...fault, held: new Map() });
    return [...fault.held.values()];
  }

  /** Forgets a bug that did not come up again; false if it did. */
  endTrial(taskId: string): boolean {
    if (this.#faults.get(taskId)?.isOnTrial !== true) return false;
    this.#parts.log.write({ event: 'task.fault-over', task: taskId });
    return this.#faults.delete(taskId);
  }
}

function isOther(problem: Diagnostic): boolean {
  return !isFault(problem);
}

/** What everybody is told of a bug with a task. */
function describeFault(file: string, message: string): Diagnostic {
  return errorAt('ORA095', {
    file,
    line: 1,
    message: `orange fails at this task: ${message.split('\n')[0] ?? ''}`,
    fix: 'This is a bug in orange: it tries again by itself, ever less often. Its stack is in orange log; please report it',
  });
}

// A file is told as a whole and an agent by its launch; anything else is news each time.
function keyOf(observation: Observation, count: number): string {
  if (observation.kind === 'file-read' || observation.kind === 'file-unreadable') return 'file';
  if (observation.kind === 'reconsider') return observation.kind;
  const about = 'launchId' in observation ? observation.launchId : `${count}`;
  return `${observation.kind} ${about}`;
}
