import type { TerminalSource } from '../domain/source-health.js';
import type { Clock } from '../ports.js';
import {
  type ControlClient,
  type ControlOutcome,
  END_KEEPER,
  UNSENT,
  openControlClient,
} from './tmux-control-client.js';
import { type Herald, sendHerald } from './tmux-herald.js';
import type { ControlNotice } from './tmux-control-protocol.js';
import {
  TMUX_TIME_LIMIT_MS,
  type TmuxCommand,
  type TmuxServer,
  classifyTmuxFailure,
  refusedByTmux,
  tellsServerExit,
} from './tmux-command.js';

export type ControlListener = {
  onNotice(notice: ControlNotice): void;
  /** The connection came up, went down, or could not be made. */
  onState(state: TerminalSource): void;
};

/** The one open connection to the terminal server, made again whenever it is lost. */
export interface TmuxControl {
  /** Carries out commands over the connection; `unsent` while it is not up. */
  ask(commands: readonly TmuxCommand[]): Promise<ControlOutcome>;
  open(listener: ControlListener): void;
  /** Tells that a server runs now: there is something to connect to. */
  wake(): void;
  /** Ends the connection, and the keeper session with it. */
  close(): Promise<void>;
  state(): TerminalSource;
}

export function createTmuxControl(parts: {
  readonly tmux: TmuxServer;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  /** Finds a server that lives but cannot be reached, and makes it reachable. */
  revive(): Promise<boolean>;
  /** Whether the server lives, though nobody may reach it. */
  isServerAlive(): boolean;
  /** Does what is due once the server lets clients in, before the one client comes that matters. */
  clearWay(): Promise<void>;
  /** Sees a server to its end that exits; gives whether there is one all the same. */
  seeOut(): Promise<boolean>;
}): TmuxControl {
  return new ReconnectingControl(parts);
}

type Parts = Parameters<typeof createTmuxControl>[0];

class ReconnectingControl implements TmuxControl {
  readonly #parts: Parts;
  #listener: ControlListener | null = null;
  #client: ControlClient | null = null;
  /** Waits to be let in before the client comes. */
  #herald: Herald | null = null;
  #state: TerminalSource;
  #upSinceMs = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #timer: NodeJS.Timeout | undefined;
  #onClosed: (() => void) | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#state = { state: 'no-server', since: this.#now() };
  }

  state(): TerminalSource {
    return this.#state;
  }

  async ask(commands: readonly TmuxCommand[]): Promise<ControlOutcome> {
    if (this.#client === null || this.#state.state !== 'connected') return UNSENT;
    return this.#client.ask(commands);
  }

  open(listener: ControlListener): void {
    this.#listener = listener;
    this.#connect();
  }

  wake(): void {
    if (this.#state.state === 'no-server' || this.#state.state === 'down') this.#connect();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#listener = null;
    const herald = this.#herald;
    this.#herald = null;
    herald?.drop();
    const client = this.#client;
    if (client === null) return;
    const closed = new Promise<void>((resolve) => {
      this.#onClosed = resolve;
    });
    const timer = setTimeout(() => client.drop('closed'), CLOSE_LIMIT_MS);
    // With its session the client goes too.
    void client.ask([END_KEEPER]);
    await closed;
    clearTimeout(timer);
  }

  #connect(): void {
    clearTimeout(this.#timer);
    if (this.#listener === null || this.#client !== null || this.#herald !== null) return;
    this.#become({ state: 'connecting', since: this.#now() });
    const opened = sendHerald(this.#parts.tmux, (reason) => {
      void this.#onHeraldBack(herald, reason);
    });
    if (!opened.ok)
      return this.#become({ state: 'down', since: this.#now(), reason: opened.failure.kind });
    const herald = opened.value;
    this.#herald = herald;
    // It is left alone for as long as it has to wait: a server that hangs lets it in when it goes on.
    setTimeout(() => this.#loseFaith(herald), TMUX_TIME_LIMIT_MS).unref();
  }

  async #onHeraldBack(herald: Herald, reason: string | null): Promise<void> {
    if (this.#herald !== herald) return;
    if (reason === null) await this.#parts.clearWay();
    if (this.#herald !== herald) return;
    this.#herald = null;
    if (reason === null) this.#attach();
    else this.#onEnd(reason);
  }

  #attach(): void {
    const opened = openControlClient(this.#parts.tmux, {
      notice: (notice) => this.#listener?.onNotice(notice),
      end: (reason) => this.#onEnd(reason),
    });
    if (!opened.ok)
      return this.#become({ state: 'down', since: this.#now(), reason: opened.failure.kind });
    this.#client = opened.value;
    void this.#shakeHands(opened.value);
  }

  async #shakeHands(client: ControlClient): Promise<void> {
    const patience = setTimeout(() => this.#loseFaith(client), TMUX_TIME_LIMIT_MS);
    const answer = await client.greet(HANDSHAKE);
    clearTimeout(patience);
    if (this.#client !== client || answer.kind !== 'answered') return;
    if (answer.isRefused) return client.drop(answer.output.trim());
    this.#upSinceMs = this.#parts.clock.monotonicMs();
    this.#become({ state: 'connected', since: this.#now() });
  }

  #loseFaith(waiting: ControlClient | Herald): void {
    if (this.#client !== waiting && this.#herald !== waiting) return;
    this.#become({ state: 'down', since: this.#now(), reason: 'no answer' });
  }

  #onEnd(reason: string): void {
    this.#client = null;
    this.#onClosed?.();
    if (this.#listener === null) return;
    const wasUp = this.#state.state === 'connected';
    // A connection that keeps breaking is not made ever faster again.
    if (wasUp && this.#parts.clock.monotonicMs() - this.#upSinceMs > STEADY_MS) {
      this.#pauseMs = FIRST_PAUSE_MS;
    }
    this.#become({ state: 'down', since: this.#now(), reason });
    if (tellsServerExit(reason)) void this.#comeBackOrRest(() => this.#parts.seeOut());
    else if (saysNoServer(reason)) void this.#comeBackOrRest(() => this.#parts.revive());
    else this.#connectLater();
  }

  async #comeBackOrRest(look: () => Promise<boolean>): Promise<void> {
    const isThere = (await look()) || this.#parts.isServerAlive();
    if (this.#listener === null) return;
    // One that lives, stopped or too busy to make its socket, will be back.
    if (isThere) this.#connectLater();
    else this.#become({ state: 'no-server', since: this.#now() });
  }

  #connectLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#connect(), this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, LAST_PAUSE_MS);
  }

  #become(state: TerminalSource): void {
    this.#state = state;
    this.#listener?.onState(state);
  }

  #now(): string {
    return new Date(this.#parts.clock.nowMs()).toISOString();
  }
}

const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 5000;
const STEADY_MS = 5000;
const CLOSE_LIMIT_MS = 1000;

const HANDSHAKE: readonly TmuxCommand[] = [['set-option', '-s', 'exit-empty', 'off']];

function saysNoServer(reason: string): boolean {
  return classifyTmuxFailure(refusedByTmux([], reason, 1)) === 'no-server';
}
