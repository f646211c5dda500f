import { RUNGS, type Attention, type Rung } from '../domain/attention.js';
import type { Observation } from '../domain/observation.js';
import type { TaskState } from '../domain/world.js';
import {
  addSilence,
  currentAttention,
  lookIntervalMs,
  NO_SILENCE,
  rungOf,
  silenceBefore,
  type Silence,
} from '../engine/stall-policy.js';
import { waitingReason, type ScreenState } from '../harness/screen-signs.js';
import { isGitBusy } from '../observe/activity-stamps.js';
import { AgentWatch, type Sighting, type WatchedPlace } from '../observe/agent-watch.js';
import { newestChangeMs } from '../observe/newest-change.js';
import type { Clock, Files, LaunchRecords, Sessions } from '../ports.js';

export type VigilParts = {
  readonly files: Files;
  readonly sessions: Pick<Sessions, 'capture'>;
  readonly launches: Pick<LaunchRecords, 'hasCompany'>;
  readonly clock: Clock;
};

export type VigilPlace = WatchedPlace & {
  readonly launchId: string;
  readonly worktree: string;
};

/** Follows one launch of an agent, and says when what is known of it has to change. */
export class AgentVigil {
  readonly launchId: string;
  readonly #parts: VigilParts;
  readonly #place: VigilPlace;
  readonly #watch: AgentWatch;
  #silence: Silence;
  #lookedAtMs: number;
  /** The last sign of life, wall time. */
  #activeAtMs: number;
  #reportedAt: string | null;
  #idleSinceMs: number | null = null;
  #checkedRung: Rung | null = null;

  constructor(
    parts: VigilParts,
    place: VigilPlace,
    task: TaskState,
    stallMinutes: readonly number[],
  ) {
    const attention = currentAttention(task);
    this.launchId = place.launchId;
    this.#parts = parts;
    this.#place = place;
    this.#watch = new AgentWatch(parts, place);
    this.#silence = silenceBefore(attention, stallMinutes);
    this.#lookedAtMs = parts.clock.monotonicMs();
    this.#activeAtMs = attention === null ? parts.clock.nowMs() : Date.parse(attention.since);
    this.#reportedAt = task.reportedAt;
  }

  /** What the screen shows from now on for a moment, or without end, is no sign of life. */
  settle(how: 'for-a-moment' | 'until-further-notice'): void {
    const now = this.#parts.clock.monotonicMs();
    this.#watch.settleUntil(how === 'for-a-moment' ? now + SETTLE_MS : Number.POSITIVE_INFINITY);
  }

  /** Looks at the agent; what the loop is to be told, or null when nothing has changed. */
  async look(
    task: TaskState,
    outputAt: number,
    stallMinutes: readonly number[],
  ): Promise<Observation | null> {
    this.#heedReport(task);
    const sighting = await this.#watch.look(outputAt);
    const now = this.#parts.clock.monotonicMs();
    const elapsedMs = now - this.#lookedAtMs;
    this.#lookedAtMs = now;
    if (sighting === null) return null;
    const asked = this.#whatItAsks(sighting, stallMinutes);
    if (asked?.isUrgent === true || sighting.isActive) {
      this.#noteLife();
      return asked?.isUrgent === true ? this.#waits(task, asked.reason) : this.#goesOn(task);
    }
    if (isWaiting(task) && sighting.screen === 'working') return this.#goesOn(task);
    const intervalMs = lookIntervalMs(stallMinutes);
    this.#silence = addSilence(this.#silence, { elapsedMs, intervalMs });
    const waits = asked === null ? null : this.#waits(task, asked.reason);
    return waits ?? this.#climb(task, sighting.screen, stallMinutes);
  }

  /** A report is a sign of life; what it said about the agent the engine has already decided. */
  #heedReport(task: TaskState): void {
    if (task.reportedAt === this.#reportedAt) return;
    this.#reportedAt = task.reportedAt;
    this.#noteLife();
    this.#settleAfterReport(Date.parse(task.reportedAt ?? ''));
  }

  /** The screen may show what was said a little later; anything after that is news. */
  #settleAfterReport(reportedMs: number): void {
    const { clock } = this.#parts;
    const agoMs = Math.max(0, clock.nowMs() - reportedMs);
    const atMs = clock.monotonicMs() - agoMs + SETTLE_MS;
    this.#watch.settleAfterReport(atMs, reportedMs + REPORT_SHOWS_MS);
  }

  /** What the screen asks for. A prompt that stands idle asks only once it has for a while. */
  #whatItAsks(
    { screen }: Sighting,
    stallMinutes: readonly number[],
  ): { readonly reason: string; readonly isUrgent: boolean } | null {
    const reason = waitingReason(screen);
    if (screen !== 'idle') {
      this.#idleSinceMs = null;
      return reason === null ? null : { reason, isUrgent: true };
    }
    const now = this.#parts.clock.monotonicMs();
    this.#idleSinceMs ??= now;
    const graceMs = Math.min(IDLE_GRACE_MS, 3 * lookIntervalMs(stallMinutes));
    const isLong = now - this.#idleSinceMs >= graceMs;
    return reason === null || !isLong ? null : { reason, isUrgent: false };
  }

  #waits(task: TaskState, reason: string): Observation | null {
    return isWaiting(task) ? null : { kind: 'agent-waits', ...this.#about(task), reason };
  }

  #goesOn(task: TaskState): Observation | null {
    if (currentAttention(task) === null) return null;
    return { kind: 'agent-active', ...this.#about(task) };
  }

  async #climb(
    task: TaskState,
    screen: ScreenState,
    stallMinutes: readonly number[],
  ): Promise<Observation | null> {
    const attention = currentAttention(task);
    const rung = await this.#rungNow(stallMinutes);
    if (rung === null || RUNGS.indexOf(rung) <= rungShown(attention)) return null;
    // Only a prompt that rests is known to take text for text: a question or a shell would act on it.
    const isAskable = screen === 'idle';
    if (isWaiting(task) && (rung !== 'poll' || !isAskable)) return null;
    return {
      kind: 'agent-silent',
      ...this.#about(task),
      rung,
      since: new Date(this.#activeAtMs).toISOString(),
      silentMs: this.#silence.silentMs,
      canBeAsked: isAskable,
    };
  }

  /** The rung reached, after a closer look the first time it is reached. */
  async #rungNow(stallMinutes: readonly number[]): Promise<Rung | null> {
    const rung = rungOf(this.#silence, stallMinutes);
    if (rung === null || rung === this.#checkedRung) return rung;
    this.#heedFiles();
    if (!this.#silence.isExtended && (await this.#isBusy())) {
      this.#silence = { ...this.#silence, isExtended: true };
    }
    const after = rungOf(this.#silence, stallMinutes);
    this.#checkedRung = after;
    return after;
  }

  /** Files that were written since the last sign of life are a later one. */
  #heedFiles(): void {
    const newestMs = newestChangeMs(this.#parts.files, this.#place.worktree);
    if (newestMs === null || newestMs <= this.#activeAtMs + SETTLE_MS) return;
    const agoMs = Math.max(0, this.#parts.clock.nowMs() - newestMs);
    const silentMs = Math.min(this.#silence.silentMs, agoMs);
    this.#activeAtMs = newestMs;
    this.#silence = { ...this.#silence, silentMs };
  }

  async #isBusy(): Promise<boolean> {
    const { gitDirectory } = this.#place.files;
    if (gitDirectory !== null && isGitBusy(this.#parts.files, gitDirectory)) return true;
    return this.#parts.launches.hasCompany(this.launchId);
  }

  #noteLife(): void {
    this.#silence = NO_SILENCE;
    this.#checkedRung = null;
    this.#activeAtMs = this.#parts.clock.nowMs();
  }

  #about(task: TaskState): { readonly taskId: string; readonly launchId: string } {
    return { taskId: task.fields.id, launchId: this.launchId };
  }
}

const SETTLE_MS = 1000;
const REPORT_SHOWS_MS = 5000;
const IDLE_GRACE_MS = 60_000;

function isWaiting(task: TaskState): boolean {
  return currentAttention(task)?.kind === 'waiting-for-human';
}

/** The rung that the record already shows, as its place on the ladder; -1 for none. */
function rungShown(attention: Attention | null): number {
  if (attention === null) return -1;
  if (attention.kind === 'stalled') return RUNGS.indexOf('stall');
  return RUNGS.indexOf(attention.wasPolled ? 'poll' : 'amber');
}
