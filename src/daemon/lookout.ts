import { describeBug } from '../domain/describe-bug.js';
import { textOf } from '../domain/extensions.js';
import { WORKER_WINDOW } from '../domain/session.js';
import type { AgentState, TaskState } from '../domain/world.js';
import { lookIntervalMs, watchedAgent } from '../engine/stall-policy.js';
import { settingsFor } from '../engine/world-queries.js';
import { findGitDirectory } from '../observe/activity-stamps.js';
import type { Log, Sessions } from '../ports.js';
import type { Paths } from '../record/paths.js';
import { AgentVigil, type VigilParts, type VigilPlace } from './agent-vigil.js';
import type { HarnessFinder } from './harness-finder.js';
import type { LiveWorld } from './live-world.js';
import type { Loop } from './loop.js';

type Parts = VigilParts & {
  readonly world: LiveWorld;
  readonly paths: Paths;
  readonly sessions: Pick<Sessions, 'lastOutput' | 'capture'>;
  readonly harnesses: Pick<HarnessFinder, 'find'>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
};

type LiveAgent = Extract<AgentState, { kind: 'live' }>;

/**
 * Looks now and then at the agents that tasks wait for, and tells the loop when one has fallen
 * silent, waits for somebody or has come back. One listing for all of them; a screen is read only
 * where it has changed.
 */
export class Lookout {
  readonly #parts: Parts;
  readonly #vigils = new Map<string, AgentVigil>();
  #loop: Pick<Loop, 'see'> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isLooking = false;
  #isHurried = false;
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  attach(loop: Pick<Loop, 'see'>): void {
    this.#loop = loop;
  }

  /** Looks again and again until it is closed. */
  begin(): void {
    if (this.#isClosed) return;
    const delayMs = this.#isHurried ? SOON_MS : this.#intervalMs();
    this.#isHurried = false;
    this.#timer = setTimeout(() => {
      void this.look().then(() => this.begin());
    }, delayMs);
  }

  /** Looks again soon: somebody said that an agent waits, which its screen may confirm or not. */
  hurry(): void {
    this.#isHurried = true;
    if (this.#isLooking || this.#timer === null || this.#intervalMs() <= SOON_MS) return;
    clearTimeout(this.#timer);
    this.begin();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Runs something that itself changes an agent's screen, which is then no sign of life. */
  async whileTelling<T>(taskId: string, tell: () => Promise<T>): Promise<T> {
    this.#vigils.get(taskId)?.settle('until-further-notice');
    try {
      return await tell();
    } finally {
      this.#vigils.get(taskId)?.settle('for-a-moment');
    }
  }

  async look(): Promise<void> {
    this.#isLooking = true;
    try {
      await this.#lookAtAll();
    } catch (error) {
      this.#noteBug(error);
    } finally {
      this.#isLooking = false;
    }
  }

  async #lookAtAll(): Promise<void> {
    const { world, sessions } = this.#parts;
    const watched = [...world.tasks.values()].filter((task) => watchedAgent(task) !== null);
    const ids = new Set(watched.map(({ fields }) => fields.id));
    for (const taskId of this.#vigils.keys()) {
      if (!ids.has(taskId)) this.#vigils.delete(taskId);
    }
    if (watched.length === 0) return;
    const output = await sessions.lastOutput();
    // A terminal server that does not answer says nothing about the agents.
    if (!output.ok) return;
    // Side by side: who is slow to look at keeps nobody waiting, and all share one look at processes.
    const looks = [...ids].map(async (taskId) => this.#lookSafely(taskId, output.value));
    await Promise.all(looks);
  }

  /** A bug in the look at one must not keep the others from being looked at. */
  async #lookSafely(taskId: string, output: ReadonlyMap<string, number>): Promise<void> {
    try {
      await this.#lookAt(taskId, output);
    } catch (error) {
      this.#noteBug(error, taskId);
    }
  }

  #noteBug(error: unknown, task?: string): void {
    const bug = describeBug(error);
    this.#parts.log.write({ event: 'look.failed', level: 'error', task, bug });
  }

  async #lookAt(taskId: string, output: ReadonlyMap<string, number>): Promise<void> {
    const task = this.#parts.world.tasks.get(taskId);
    if (this.#isClosed || task === undefined) return;
    const agent = watchedAgent(task);
    const outputAt = agent === null ? undefined : output.get(agent.launchId);
    if (agent === null || outputAt === undefined) return;
    const stallMinutes = this.#stallMinutes(task);
    const vigil = this.#keepVigil(task, agent, stallMinutes);
    const seen = await vigil.look(task, outputAt, stallMinutes);
    // What was decided meanwhile may have changed what there is to say; the next look says it.
    const isStale = this.#parts.world.tasks.get(taskId)?.attention !== task.attention;
    if (seen !== null && !isStale && !this.#isClosed) this.#loop?.see(seen);
  }

  #keepVigil(task: TaskState, agent: LiveAgent, stallMinutes: readonly number[]): AgentVigil {
    const { id } = task.fields;
    const known = this.#vigils.get(id);
    if (known?.launchId === agent.launchId) return known;
    const vigil = new AgentVigil(this.#parts, this.#placeOf(task, agent), task, stallMinutes);
    this.#vigils.set(id, vigil);
    return vigil;
  }

  #placeOf(task: TaskState, agent: LiveAgent): VigilPlace {
    const { files, paths } = this.#parts;
    const { fields } = task;
    const isWorker = agent.window === WORKER_WINDOW;
    const worktree = paths.workspace(fields.workspace ?? '-');
    return {
      launchId: agent.launchId,
      worktree,
      place: { session: fields.tmux_session ?? '', window: agent.window },
      harness: isWorker ? fields.harness : fields.review_harness,
      files: {
        taskFile: paths.taskFile(fields.project, fields.id),
        gitDirectory: findGitDirectory(files, worktree),
        transcript: isWorker ? this.#transcriptOf(task, worktree) : null,
      },
    };
  }

  #transcriptOf(task: TaskState, cwd: string): string | null {
    const { harnesses, env } = this.#parts;
    const session = textOf(task.extensions['harness_session']);
    const harness = harnesses.find(task.fields.project, task.fields.harness);
    if (session === null || !harness.ok) return null;
    return harness.value.transcript?.({ env, cwd, session }) ?? null;
  }

  #stallMinutes(task: TaskState): readonly number[] {
    return settingsFor(this.#parts.world, task.fields.project).policy.stallMinutes;
  }

  #intervalMs(): number {
    const ladders = [...this.#parts.world.settings.values()].map(
      ({ policy }) => policy.stallMinutes,
    );
    return Math.min(SLOWEST_MS, ...ladders.map(lookIntervalMs));
  }
}

const SLOWEST_MS = 20_000;
const SOON_MS = 3000;
