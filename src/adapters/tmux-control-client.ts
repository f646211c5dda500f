import { randomBytes } from 'node:crypto';
import { type Result, success } from '../domain/result.js';
import { startAwakeTimer } from './awake-timer.js';
import { openPipe, type Pipe, type PipeEnd } from './open-pipe.js';
import { ControlReader, type ControlAnswer, type ControlNotice } from './tmux-control-protocol.js';
import {
  TMUX_TIME_LIMIT_MS,
  tmuxArguments,
  tmuxLine,
  type TmuxCommand,
  type TmuxServer,
} from './tmux-command.js';

/** What became of commands given to a control client. */
export type ControlOutcome =
  | ({ readonly kind: 'answered' } & ControlAnswer)
  /** They never left: they can be run in another way. */
  | { readonly kind: 'unsent' }
  /** They left, and nobody knows what became of them. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'timed-out' };

export const UNSENT: ControlOutcome = { kind: 'unsent' };

export interface ControlClient {
  ask(commands: readonly TmuxCommand[]): Promise<ControlOutcome>;
  /** As `ask`, but waits for as long as it takes: for the first call of all. */
  greet(commands: readonly TmuxCommand[]): Promise<ControlOutcome>;
  drop(reason: string): void;
}

/** A session of orange's own for its control client to be attached to. */
const KEEPER_SESSION = '_orange';

export type ControlEnds = {
  notice(notice: ControlNotice): void;
  end(reason: string): void;
};

/**
 * Attaches a control client to the keeper session of a server that runs, making that session if it
 * is not there. The client hears of every window, but gets nothing of what agents print.
 */
export function openControlClient(server: TmuxServer, on: ControlEnds): Result<ControlClient> {
  const built = controlArguments(server);
  return built.ok ? success(new PipedClient(server, built.value, on)) : built;
}

/** The arguments by which a control client of this server's daemon is known. */
export function controlArguments(
  server: Pick<TmuxServer, 'socket' | 'conf'>,
): Result<readonly string[]> {
  return tmuxArguments(server, ATTACH, ['-N', '-C']);
}

/** One call at a time is under way; the others wait in turn. */
class PipedClient implements ControlClient {
  readonly #on: ControlEnds;
  readonly #pipe: Pipe;
  readonly #reader = new ControlReader();
  readonly #calls: Call[] = [];
  #reason: string | null = null;
  #isOver = false;

  constructor(server: TmuxServer, argv: readonly string[], on: ControlEnds) {
    this.#on = on;
    this.#pipe = openPipe({
      program: 'tmux',
      argv,
      env: server.env,
      onText: (text) => this.#read(text),
      onEnd: (end) => this.#finish(end),
    });
  }

  async ask(commands: readonly TmuxCommand[]): Promise<ControlOutcome> {
    return this.#call(commands, TMUX_TIME_LIMIT_MS);
  }

  async greet(commands: readonly TmuxCommand[]): Promise<ControlOutcome> {
    return this.#call(commands, null);
  }

  async #call(commands: readonly TmuxCommand[], limitMs: number | null): Promise<ControlOutcome> {
    const line = tmuxLine(commands);
    if (this.#isOver || line === null) return UNSENT;
    return new Promise((resolve) => {
      this.#calls.push({
        line,
        commands: commands.length,
        limitMs,
        isSent: false,
        callOff: () => undefined,
        resolve,
      });
      this.#sendNext();
    });
  }

  drop(reason: string): void {
    this.#reason = reason;
    this.#pipe.drop();
  }

  #read(text: string): void {
    for (const event of this.#reader.read(text)) {
      if (event.kind === 'broken') return this.drop(`protocol: ${event.reason}`);
      if (event.kind === 'answer') this.#settle(event);
      else this.#hear(event);
    }
  }

  #hear(notice: ControlNotice): void {
    if (notice.kind === 'exit') this.#reason = notice.reason || 'detached';
    this.#on.notice(notice);
  }

  #settle({ isRefused, output }: ControlAnswer): void {
    const call = this.#calls.shift();
    call?.callOff();
    call?.resolve({ kind: 'answered', isRefused, output });
    this.#sendNext();
  }

  #sendNext(): void {
    const next = this.#calls[0];
    if (next === undefined || next.isSent) return;
    next.isSent = true;
    // The server's silence is what counts: whoever waits behind others is not yet asking it.
    if (next.limitMs !== null) {
      next.callOff = startAwakeTimer(next.limitMs, () => this.drop(NO_ANSWER));
    }
    const sign = `orange-${randomBytes(16).toString('hex')}`;
    this.#reader.expect(sign, next.commands);
    this.#pipe.write(`${next.line}\ndisplay-message -p ${sign}\n`);
  }

  #finish(end: PipeEnd): void {
    this.#isOver = true;
    for (const call of this.#calls.splice(0)) {
      call.callOff();
      call.resolve(this.#fateOf(call));
    }
    this.#on.end(this.#reason ?? end.code ?? this.#farewell(end));
  }

  #farewell(end: PipeEnd): string {
    const words = this.#reader.lastWords();
    return words === null ? end.errors.trim() || 'ended' : words || 'detached';
  }

  // A server that leaves one call unanswered would do the same to those behind it.
  #fateOf(call: Call): ControlOutcome {
    if (this.#reason === NO_ANSWER) return { kind: 'timed-out' };
    return call.isSent ? { kind: 'lost' } : UNSENT;
  }
}

type Call = {
  readonly line: string;
  readonly commands: number;
  readonly limitMs: number | null;
  isSent: boolean;
  callOff(): void;
  resolve(outcome: ControlOutcome): void;
};

const NO_ANSWER = 'no answer';

// Not to be left to destroy-unattached: tmux 3.3 crashes when its last client leaves in good order.
export const END_KEEPER: TmuxCommand = ['kill-session', '-t', `=${KEEPER_SESSION}:`];
const KEEPER_TARGET = `=${KEEPER_SESSION}:`;
const ATTACH: readonly TmuxCommand[] = [
  [
    'new-session',
    '-A',
    '-s',
    KEEPER_SESSION,
    '-f',
    'no-output,ignore-size',
    '-c',
    '/',
    '--',
    '/bin/cat',
    '-',
  ],
  ['set-option', '-t', KEEPER_TARGET, '@orange_keeper', 'yes'],
];
