import type { TerminalSource } from '../domain/source-health.js';
import type { Clock, Log, Sessions, TerminalEvents, TerminalListener } from '../ports.js';
import type { LiveWorld } from './live-world.js';

type Parts = {
  readonly world: LiveWorld;
  readonly sessions: Pick<Sessions, 'list' | 'renameSession'> & { readonly events: TerminalEvents };
  readonly clock: Clock;
  readonly log: Log;
  /** Tasks that may have agents. */
  readonly active: ReadonlySet<string>;
  /** The terminal of one of its agents is not there any more. */
  onGone(taskId: string): void;
  /** Anything may have happened: the connection came or went. */
  onUnknown(): void;
};

/**
 * Follows the terminals over the open connection. Each closed window makes its task looked at; a
 * listing now and then, which costs no process, finds what was not told and a server that hangs.
 */
export class TerminalWatch implements TerminalListener {
  readonly #parts: Parts;
  #isListing = false;
  #isStale = false;
  #listedMs = Number.NEGATIVE_INFINITY;
  #listed = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  begin(): void {
    this.#parts.sessions.events.follow(this);
  }

  state(): TerminalSource {
    return this.#parts.sessions.events.state();
  }

  /** Whether the end of an agent would be told, as far as can be known. */
  isTrusted(): boolean {
    const { state } = this.state();
    if (state === 'connected') return true;
    return state === 'no-server' && this.#agents().next().done === true;
  }

  /** Whether the server has let us in, or there is none. */
  isServerKnown(): boolean {
    const { state } = this.state();
    return state === 'connected' || state === 'no-server';
  }

  /** Lists the terminals when it is time. */
  tend(): void {
    const now = this.#parts.clock.monotonicMs();
    if (this.state().state !== 'connected' || now - this.#listedMs < this.#gapMs()) return;
    void this.#compare();
  }

  // A listing costs the server more the more there is, and is only the net under what is told.
  #gapMs(): number {
    return Math.min(
      Math.max(this.#listed * LIST_GAP_MS_EACH, LIST_EVERY_MS),
      LIST_AT_LEAST_EVERY_MS,
    );
  }

  onWindowClosed(taskId: string | null): void {
    if (taskId === null) void this.#compare();
    else this.#parts.onGone(taskId);
  }

  onRenamed(): void {
    void this.#compare();
  }

  /** Tells of a file that may have changed: without its socket nobody else reaches the server. */
  noteFile(path: string): void {
    const { events } = this.#parts.sessions;
    if (path === events.socket) void events.keepSocket();
  }

  onState({ state }: TerminalSource): void {
    if (state === 'connecting') return;
    this.#parts.onUnknown();
    if (state === 'connected') void this.#compare();
  }

  async #compare(): Promise<void> {
    this.#isStale = true;
    if (this.#isListing) return;
    this.#isListing = true;
    while (this.#isStale) {
      this.#isStale = false;
      await this.#compareOnce();
    }
    this.#isListing = false;
  }

  /** Finds agents without a terminal, and sessions under another name than the record's. */
  async #compareOnce(): Promise<void> {
    const listed = await this.#parts.sessions.list();
    this.#listedMs = this.#parts.clock.monotonicMs();
    if (!listed.ok) return;
    void this.#parts.sessions.events.keepSocket();
    this.#listed = listed.value.length;
    const launchIds = new Set(
      listed.value.flatMap(({ launches }) => launches.map(({ launchId }) => launchId)),
    );
    const gone = new Set<string>();
    for (const { taskId, launchId } of this.#agents()) {
      if (!launchIds.has(launchId)) gone.add(taskId);
    }
    for (const taskId of gone) this.#parts.onGone(taskId);
    for (const { taskId, session } of listed.value) {
      if (taskId !== null) await this.#restoreName(taskId, session);
    }
  }

  /** The record's name is the one by which everybody finds the session. */
  async #restoreName(taskId: string, name: string): Promise<void> {
    const recorded = this.#parts.world.tasks.get(taskId)?.fields.tmux_session ?? null;
    if (recorded === null || name === recorded) return;
    const restored = await this.#parts.sessions.renameSession(taskId, recorded);
    this.#parts.log.write({
      event: 'session.renamed-back',
      level: restored.ok ? 'info' : 'warn',
      task: taskId,
      was: name,
      ...(restored.ok ? {} : { failure: restored.failure.kind }),
    });
  }

  /** The agents that are known to live. */
  *#agents(): Generator<{ readonly taskId: string; readonly launchId: string }> {
    for (const taskId of this.#parts.active) {
      const task = this.#parts.world.tasks.get(taskId);
      if (task?.worker.kind === 'live') yield { taskId, launchId: task.worker.launchId };
      if (task?.reviewer.kind === 'live') yield { taskId, launchId: task.reviewer.launchId };
    }
  }
}

const LIST_EVERY_MS = 5000;
const LIST_AT_LEAST_EVERY_MS = 15_000;
const LIST_GAP_MS_EACH = 100;
