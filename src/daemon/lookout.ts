import type { Attention, Rung } from '../domain/attention.js';
import { RUNGS } from '../domain/attention.js';
import type { Settings } from '../domain/settings.js';
import type { TaskState } from '../domain/world.js';
import {
  addSilence,
  currentAttention,
  hasLadder,
  lookIntervalMs,
  NO_SILENCE,
  rungOf,
  silenceBefore,
  watchedAgent,
  type Silence,
} from '../engine/stall-policy.js';
import { settingsFor } from '../engine/world-queries.js';
import { findGitDirectory, isGitBusy, readActivityStamps } from '../observe/activity-stamps.js';
import { digestScreen } from '../observe/screen-digest.js';
import type { Clock, Files, Log, Sessions } from '../ports.js';
import type { Paths } from '../record/paths.js';
import type { LiveWorld } from './live-world.js';
import type { Loop } from './loop.js';

type Parts = {
  readonly world: LiveWorld;
  readonly files: Files;
  readonly paths: Paths;
  readonly sessions: Pick<Sessions, 'lastOutput' | 'capture'>;
  readonly clock: Clock;
  readonly log: Log;
};

/** What is remembered of one agent between two looks. */
type Memory = {
  readonly launchId: string;
  readonly gitDirectory: string | null;
  silence: Silence;
  lookedAtMs: number;
  /** The last sign of life, ISO 8601. */
  activeAt: string;
  stamps: string;
  /** When somebody last reported on the task. */
  reportedAt: string | null;
  screen: { readonly digest: string; readonly outputAt: number; readonly takenAt: number } | null;
  /** What the screen shows before this moment is of orange's own making. */
  settlesAtMs: number;
};

/**
 * Looks now and then at the agents that tasks wait for, and tells the loop when one has fallen
 * silent or come back. One listing for all of them; a screen is read only where it has changed.
 */
export class Lookout {
  readonly #parts: Parts;
  readonly #memories = new Map<string, Memory>();
  #loop: Loop | null = null;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  attach(loop: Loop): void {
    this.#loop = loop;
  }

  /** Looks again and again until it is closed. */
  begin(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      void this.look().then(() => this.begin());
    }, this.#intervalMs());
  }

  /** Runs something that itself changes an agent's screen, which is then no sign of life. */
  async whileTelling<T>(taskId: string, tell: () => Promise<T>): Promise<T> {
    this.#settleFrom(taskId, Number.POSITIVE_INFINITY);
    try {
      return await tell();
    } finally {
      this.#settleFrom(taskId, this.#parts.clock.monotonicMs());
    }
  }

  #settleFrom(taskId: string, nowMs: number): void {
    const memory = this.#memories.get(taskId);
    if (memory !== undefined) memory.settlesAtMs = nowMs + SETTLE_MS;
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async look(): Promise<void> {
    try {
      await this.#lookAtAll();
    } catch (error) {
      // A bug in one look must not end all the others.
      const bug = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#parts.log.write({ event: 'look.failed', level: 'error', bug });
    }
  }

  async #lookAtAll(): Promise<void> {
    const { world, sessions } = this.#parts;
    const watched = [...world.tasks.values()].filter((task) => this.#isWatched(task));
    const ids = new Set(watched.map(({ fields }) => fields.id));
    for (const taskId of this.#memories.keys()) {
      if (!ids.has(taskId)) this.#memories.delete(taskId);
    }
    if (watched.length === 0) return;
    const output = await sessions.lastOutput();
    // A terminal server that does not answer says nothing about the agents.
    if (!output.ok) return;
    for (const { fields } of watched) {
      if (this.#isClosed) return;
      const task = world.tasks.get(fields.id);
      if (task !== undefined && this.#isWatched(task)) await this.#lookAt(task, output.value);
    }
  }

  async #lookAt(task: TaskState, output: ReadonlyMap<string, number>): Promise<void> {
    const { id } = task.fields;
    const agent = watchedAgent(task);
    if (agent === null) return;
    const memory = this.#remember(task, agent.launchId);
    this.#heedReport(task, memory);
    const stamps = this.#stampsOf(task, memory);
    const outputAt = output.get(agent.launchId) ?? 0;
    const hasChanged = await this.#hasChanged(task, memory, { stamps, outputAt });
    const now = this.#parts.clock.monotonicMs();
    const elapsedMs = now - memory.lookedAtMs;
    memory.lookedAtMs = now;
    if (hasChanged) {
      memory.silence = NO_SILENCE;
      memory.activeAt = this.#timestamp();
      if (currentAttention(task) !== null) {
        this.#loop?.see({ kind: 'agent-active', taskId: id, launchId: agent.launchId });
      }
      return;
    }
    const { stallMinutes } = this.#policyOf(task);
    const intervalMs = lookIntervalMs(stallMinutes);
    memory.silence = addSilence(memory.silence, { elapsedMs, intervalMs });
    this.#climb(task, memory, stallMinutes);
  }

  /** A report is a sign of life; what it said about the agent the engine has already decided. */
  #heedReport(task: TaskState, memory: Memory): void {
    if (task.reportedAt === memory.reportedAt) return;
    memory.reportedAt = task.reportedAt;
    memory.silence = NO_SILENCE;
    memory.activeAt = this.#timestamp();
    this.#settleFrom(task.fields.id, this.#parts.clock.monotonicMs());
  }

  /** Whether anything but turning spinners was seen since the last look; the first look is none. */
  async #hasChanged(
    task: TaskState,
    memory: Memory,
    seen: { readonly stamps: string; readonly outputAt: number },
  ): Promise<boolean> {
    const isFirst = memory.screen === null;
    const hasNewFiles = seen.stamps !== memory.stamps;
    memory.stamps = seen.stamps;
    if (hasNewFiles && !isFirst) return true;
    const isOwn = this.#parts.clock.monotonicMs() < memory.settlesAtMs;
    return (await this.#readScreen(task, memory, seen.outputAt)) && !isFirst && !isOwn;
  }

  /** Reads the screen where it may show something new; true when it does. */
  async #readScreen(task: TaskState, memory: Memory, outputAt: number): Promise<boolean> {
    const { screen } = memory;
    // The terminal tells whole seconds: what came in the second of the last look may be new.
    if (screen !== null && screen.outputAt === outputAt && outputAt < screen.takenAt) return false;
    const takenAt = Math.floor(this.#parts.clock.nowMs() / 1000);
    const agent = watchedAgent(task);
    const session = task.fields.tmux_session;
    if (agent === null || session === null) return false;
    const place = { session, window: agent.window };
    const shown = await this.#parts.sessions.capture(place, SCREEN_LINES);
    if (!shown.ok) return false;
    const digest = digestScreen(shown.value);
    memory.screen = { digest, outputAt, takenAt };
    return digest !== screen?.digest;
  }

  #climb(task: TaskState, memory: Memory, stallMinutes: readonly number[]): void {
    const { id: taskId } = task.fields;
    const rung = this.#rungNow(memory, stallMinutes);
    if (rung === null || RUNGS.indexOf(rung) <= rungShown(currentAttention(task))) return;
    this.#loop?.see({
      kind: 'agent-silent',
      taskId,
      launchId: memory.launchId,
      rung,
      since: memory.activeAt,
      silentMs: memory.silence.silentMs,
      canBeAsked: true,
    });
  }

  /** The rung reached; the first time it would be one, whatever of its own still runs buys time. */
  #rungNow(memory: Memory, stallMinutes: readonly number[]): Rung | null {
    const rung = rungOf(memory.silence, stallMinutes);
    if (rung === null || memory.silence.isExtended || memory.gitDirectory === null) return rung;
    if (!isGitBusy(this.#parts.files, memory.gitDirectory)) return rung;
    memory.silence = { ...memory.silence, isExtended: true };
    return rungOf(memory.silence, stallMinutes);
  }

  #remember(task: TaskState, launchId: string): Memory {
    const { id, workspace } = task.fields;
    const known = this.#memories.get(id);
    if (known?.launchId === launchId) return known;
    const { files, paths, clock } = this.#parts;
    const attention = currentAttention(task);
    const memory: Memory = {
      launchId,
      gitDirectory: workspace === null ? null : findGitDirectory(files, paths.workspace(workspace)),
      silence: silenceBefore(attention, this.#policyOf(task).stallMinutes),
      lookedAtMs: clock.monotonicMs(),
      activeAt: attention?.since ?? this.#timestamp(),
      stamps: '',
      reportedAt: task.reportedAt,
      screen: null,
      settlesAtMs: 0,
    };
    this.#memories.set(id, memory);
    return memory;
  }

  #stampsOf(task: TaskState, memory: Memory): string {
    const { files, paths } = this.#parts;
    const { project, id } = task.fields;
    const taskFile = paths.taskFile(project, id);
    const { gitDirectory } = memory;
    return readActivityStamps(files, { taskFile, gitDirectory, transcript: null });
  }

  #isWatched(task: TaskState): boolean {
    return watchedAgent(task) !== null && hasLadder(this.#policyOf(task).stallMinutes);
  }

  #policyOf(task: TaskState): Settings['policy'] {
    return settingsFor(this.#parts.world, task.fields.project).policy;
  }

  #intervalMs(): number {
    const ladders = [...this.#parts.world.settings.values()].map(
      ({ policy }) => policy.stallMinutes,
    );
    return Math.min(SLOWEST_MS, ...ladders.filter(hasLadder).map(lookIntervalMs));
  }

  #timestamp(): string {
    return new Date(this.#parts.clock.nowMs()).toISOString();
  }
}

const SCREEN_LINES = 60;
const SLOWEST_MS = 20_000;
const SETTLE_MS = 1000;

/** The rung that the record already shows, as its place on the ladder; -1 for none. */
function rungShown(attention: Attention | null): number {
  if (attention === null) return -1;
  if (attention.kind === 'stalled') return RUNGS.indexOf('stall');
  return RUNGS.indexOf(attention.wasPolled ? 'poll' : 'amber');
}
