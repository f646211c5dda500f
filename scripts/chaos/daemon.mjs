import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { daemonNodeFlags } from '../lib/daemon-node-flags.mjs';
import { connect } from './client.mjs';
import { endProcess, isAlive } from './processes.mjs';
import { awaitState, pause } from './wait.mjs';

const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 20_000;
const EXIT_BUG = 70;

/** The daemon of one place: at most one that this harness knows of, started by its program itself. */
export class Daemon {
  #place;
  #onBug;
  #child = null;
  #errors = '';
  #ended = null;
  client = null;

  constructor(place, onBug) {
    this.#place = place;
    this.#onBug = onBug;
  }

  get pid() {
    return this.#child?.pid ?? null;
  }

  get isRunning() {
    return this.#ended === null && this.#child !== null;
  }

  /** What the running daemon, or the last one, wrote as its last words. */
  get errors() {
    return this.#errors;
  }

  /** How the last one ended: `{ code, signal }`, or null while it runs. */
  get ended() {
    return this.#ended;
  }

  /** Which failpoints the daemon has reached with a fault in hand. */
  get reached() {
    return [...this.#errors.matchAll(/^failpoint ([a-z.-]+): /gm)].map(([, name]) => name);
  }

  /** Starts a daemon; gives true once it answers, false when it ended before. */
  async start({ failpoint = '', env = {}, wrap = [] } = {}) {
    const entry = join(dirname(this.#place.program), 'orange-daemon.js');
    const [command, ...args] = [...wrap, process.execPath, ...daemonNodeFlags(), entry];
    this.#errors = '';
    this.#ended = null;
    const child = spawn(command, args, {
      cwd: this.#place.root,
      env: { ...this.#place.env, ORANGE_FAILPOINT: failpoint, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text) => {
      if (this.#child === child) this.#errors += text;
    });
    child.on('close', (code, signal) => {
      if (this.#child === child) this.#ended = { code, signal };
      if (code === EXIT_BUG) this.#onBug(`the daemon died of a bug: ${this.#errors}`);
    });
    const client = await awaitState(() => this.#greet(child), START_LIMIT_MS, 10);
    this.client = client === undefined || client === 'ended' ? null : client;
    return this.client !== null;
  }

  async #greet(child) {
    if (this.#ended !== null) return 'ended';
    if (!existsSync(this.#place.socket)) return null;
    const client = await connect(this.#place.socket);
    if (client === null || client.greeting.pid === child.pid) return client;
    client.close();
    return null;
  }

  /** Ends it by a signal and waits until it is gone. */
  async end(signal = 'SIGKILL') {
    const { pid } = this;
    if (pid !== null && this.isRunning) {
      endProcess(pid, signal);
      await awaitState(() => this.#ended !== null, STOP_LIMIT_MS);
      if (this.#ended === null) throw new Error(`daemon ${pid} does not end on ${signal}`);
    }
    this.client?.close();
    this.client = null;
  }

  /** Waits until the daemon has ended by itself; false when it still runs at the deadline. */
  async awaitEnd(deadlineMs) {
    return (await awaitState(() => this.#ended !== null || null, deadlineMs)) === true;
  }

  /** Sends it a signal and later another; whether the first arrived. */
  async signal(name, thenMs, next) {
    if (!this.isRunning || !isAlive(this.pid)) return false;
    const wasSent = endProcess(this.pid, name);
    await pause(thenMs);
    if (isAlive(this.pid)) endProcess(this.pid, next);
    return wasSent;
  }
}
