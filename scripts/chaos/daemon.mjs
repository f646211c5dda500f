import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { daemonNodeFlags } from '../lib/daemon-node-flags.mjs';
import { connect } from './client.mjs';
import { judgeEnd } from './judge-end.mjs';
import { violation } from './oracle/violation.mjs';
import { endProcess, isAlive } from './processes.mjs';
import { awaitState, pause } from './wait.mjs';

const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 20_000;

/**
 * The daemon of one place: at most one that this harness knows of, started by its program itself. It is
 * complained of one that ends without being told to, or does not answer.
 */
export class Daemon {
  #place;
  #complain;
  /** The running daemon, or the last one. */
  #life = null;
  client = null;

  constructor(place, complain = () => undefined) {
    this.#place = place;
    this.#complain = complain;
  }

  get pid() {
    return this.#life?.child.pid ?? null;
  }

  get isRunning() {
    return this.#life !== null && this.#life.ended === null;
  }

  /** What the running daemon, or the last one, wrote as its last words. */
  get errors() {
    return this.#life?.errors ?? '';
  }

  /** How the last one ended: `{ code, signal }`, or null while it runs. */
  get ended() {
    return this.#life?.ended ?? null;
  }

  /** Which failpoints the daemon has reached with a fault in hand. */
  get reached() {
    return [...this.errors.matchAll(/^failpoint ([a-z.-]+): /gm)].map(([, name]) => name);
  }

  /**
   * Starts a daemon; gives true once it answers, false when it ended before. `mayRefuse` says that the
   * fault at hand may keep it from starting.
   */
  async start({ failpoint = '', env = {}, wrap = [], mayRefuse = false } = {}) {
    const entry = join(dirname(this.#place.program), 'orange-daemon.js');
    const [command, ...args] = [...wrap, process.execPath, ...daemonNodeFlags(), entry];
    const child = spawn(command, args, {
      cwd: this.#place.root,
      env: { ...this.#place.env, ORANGE_FAILPOINT: failpoint, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    const life = { child, errors: '', ended: null, asked: null, hasAnswered: false, mayRefuse };
    this.#life = life;
    child.stderr.setEncoding('utf8').on('data', (text) => {
      life.errors += text;
    });
    child.on('close', (code, signal) => {
      life.ended = { code, signal };
      for (const { text } of judgeEnd({ ...life, code, signal })) this.#complain(text);
    });
    const client = await awaitState(() => this.#greet(life), START_LIMIT_MS, 10);
    if (client === undefined) {
      const what = `has not answered ${START_LIMIT_MS} ms after its start\n${life.errors}`;
      this.#complain(violation('I10', 'the daemon', what).text);
    }
    this.client = client === undefined || client === 'ended' ? null : client;
    life.hasAnswered = this.client !== null;
    return life.hasAnswered;
  }

  async #greet({ child, ended }) {
    if (ended !== null) return 'ended';
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
      this.#life.asked = signal;
      endProcess(pid, signal);
      await awaitState(() => this.ended !== null, STOP_LIMIT_MS);
      if (this.ended === null) throw new Error(`daemon ${pid} does not end on ${signal}`);
    }
    this.client?.close();
    this.client = null;
  }

  /** Waits until the daemon has ended by itself; false when it still runs at the deadline. */
  async awaitEnd(deadlineMs) {
    return (await awaitState(() => this.ended !== null || null, deadlineMs)) === true;
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
