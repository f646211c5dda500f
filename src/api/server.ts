import { randomBytes } from 'node:crypto';
import { createServer as createNetServer } from 'node:net';
import type { Server as NetServer, Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { umask } from 'node:process';
import { failpoint } from '../domain/failpoint.js';
import type { JsonValue } from '../domain/json.js';
import { failed, success } from '../domain/result.js';
import type { Result } from '../domain/result.js';
import { Connection } from './connection.js';
import type { Answer, ConnectionLimits } from './connection.js';
import { encodeLine } from './framing.js';
import type { Call, Change, Greeting, Note } from './protocol.js';
import { prepareSocketDirectory, publishSocket, withdrawSocket } from './socket-file.js';
import { checkSocketPath } from './socket-path.js';

/** What an answering function may do while a call is open. */
export type OpenCall = {
  readonly connectionId: number;
  progress(note: Note): void;
};

export type ServerOptions = {
  readonly socketPath: string;
  readonly greeting: Greeting;
  readonly onCall: (call: Call, open: OpenCall) => Promise<Answer>;
  readonly log: ServerLog;
  readonly limits?: Partial<ServerLimits>;
};

export type ServerLimits = ConnectionLimits & {
  readonly maxConnections: number;
  /** How long `close` waits for open calls and slow readers. */
  readonly closeMs: number;
};

type ServerLog = {
  write(record: { readonly event: string; readonly [fact: string]: JsonValue | undefined }): void;
};

export interface Server {
  /** Tells every subscriber what changed. */
  broadcast(change: Change): void;
  hasSubscribers(): boolean;
  connections(): number;
  /** Answers what is open, takes nothing new, and removes the socket. */
  close(): Promise<void>;
}

/** Listens on a socket that only this user can open. The caller holds the home lock. */
export async function createServer(options: ServerOptions): Promise<Result<Server>> {
  const { socketPath } = options;
  // The socket gets its name only once it listens. libuv removes the name that it bound, so a
  // daemon that lost its home cannot remove its successor's socket either.
  const listeningPath = join(dirname(socketPath), `.${randomBytes(4).toString('hex')}`);
  for (const path of [socketPath, listeningPath]) {
    const checked = checkSocketPath(path);
    if (!checked.ok) return checked;
  }
  const prepared = prepareSocketDirectory(socketPath);
  if (!prepared.ok) return prepared;

  const clients = new Clients(options);
  const net = createNetServer({ allowHalfOpen: true }, (socket) => clients.welcome(socket));
  const listening = await listenPrivately(net, listeningPath);
  if (!listening.ok) return listening;
  net.on('error', (error) => options.log.write({ event: 'api.failed', reason: error.message }));
  failpoint('socket.listening');
  const published = publishSocket(listeningPath, socketPath);
  if (!published.ok) {
    net.close();
    return published;
  }

  failpoint('socket.published');
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    withdrawSocket(socketPath, published.value);
    net.close();
    await clients.close();
  };
  return success({
    broadcast: (change) => clients.broadcast(change),
    hasSubscribers: () => clients.subscribers().length > 0,
    connections: () => clients.count(),
    close: () => (closing ??= close()),
  });
}

/** What one daemon puts up with from its clients. */
export const DEFAULT_LIMITS: ServerLimits = {
  maxConnections: 640,
  maxOpenCalls: 64,
  maxUnreadBytes: 8 * 1024 * 1024,
  patienceMs: 30_000,
  closeMs: 2000,
};

/** Every client of one server. */
class Clients {
  readonly #options: ServerOptions;
  readonly #limits: ServerLimits;
  readonly #greeting: string;
  readonly #connections = new Set<Connection>();
  #lastId = 0;
  #isClosing = false;
  #onCalm: () => void = () => undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#greeting = encodeLine(options.greeting);
  }

  count(): number {
    return this.#connections.size;
  }

  welcome(socket: Socket): void {
    // Refused clients have a moment to read why; past this many there is no more room even for that.
    if (this.#connections.size >= 2 * this.#limits.maxConnections) {
      socket.destroy();
      return;
    }
    this.#lastId += 1;
    const connectionId = this.#lastId;
    const connection: Connection = new Connection({
      stream: socket,
      greeting: this.#greeting,
      limits: this.#limits,
      onCall: (id, call) => void this.#answer({ connection, connectionId, id, call }),
      onAnswered: () => this.#onCalm(),
      onClosed: (reason) => {
        this.#connections.delete(connection);
        if (reason !== 'left') {
          this.#options.log.write({ event: 'api.disconnected', level: 'warn', reason });
        }
        this.#onCalm();
      },
    });
    const isFull = this.#connections.size >= this.#limits.maxConnections;
    this.#connections.add(connection);
    if (isFull || this.#isClosing) {
      const reason = isFull ? 'too-many-connections' : 'stopping';
      connection.refuse(reason, { kind: 'daemon-unreachable', reason });
    }
  }

  subscribers(): readonly Connection[] {
    return [...this.#connections].filter((connection) => connection.isSubscribed());
  }

  broadcast(change: Change): void {
    const subscribers = this.subscribers();
    if (subscribers.length === 0) return;
    const line = encodeLine({ push: change });
    for (const subscriber of subscribers) subscriber.push(line);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    const deadline = performance.now() + this.#limits.closeMs;
    await this.#settle(deadline, () => [...this.#connections].every((c) => c.openCalls() === 0));
    for (const connection of this.#connections) connection.finish();
    await this.#settle(deadline, () => this.#connections.size === 0);
    for (const connection of this.#connections) connection.destroy('stopping');
  }

  /** Waits until all is calm, or until the deadline. */
  async #settle(deadline: number, isCalm: () => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, deadline - performance.now()));
      this.#onCalm = () => {
        if (!isCalm()) return;
        clearTimeout(timer);
        resolve();
      };
      this.#onCalm();
    });
  }

  async #answer(asked: {
    readonly connection: Connection;
    readonly connectionId: number;
    readonly id: number;
    readonly call: Call;
  }): Promise<void> {
    const { connection, connectionId, id, call } = asked;
    if (call.method === 'subscribe') connection.prepareSubscription();
    const answer = await this.#ask(call, {
      connectionId,
      progress: (note) => connection.progress(id, note),
    });
    connection.answer(id, answer);
    if (call.method === 'subscribe') {
      if (answer.ok) connection.startSubscription();
      else connection.abandonSubscription();
    }
  }

  async #ask(call: Call, open: OpenCall): Promise<Answer> {
    if (this.#isClosing) return failed({ kind: 'daemon-unreachable', reason: 'stopping' });
    try {
      return await this.#options.onCall(call, open);
    } catch (error) {
      // A bug behind one call must not take the daemon from all the others.
      const message = error instanceof Error ? error.message : String(error);
      const stack = error instanceof Error ? error.stack : undefined;
      this.#options.log.write({ event: 'api.bug', level: 'error', message, stack });
      return failed({ kind: 'internal', message });
    }
  }
}

async function listenPrivately(net: NetServer, path: string): Promise<Result<void>> {
  return new Promise((resolve) => {
    net.once('error', (error) => {
      const code = 'code' in error && typeof error.code === 'string' ? error.code : error.message;
      resolve(failed({ kind: 'io-failed', path, operation: 'listen', code }));
    });
    // Binding happens inside this call, so no other file is made under this umask.
    const before = umask(0o177);
    try {
      net.listen({ path, backlog: 511 }, () => {
        net.removeAllListeners('error');
        resolve(success(undefined));
      });
    } finally {
      umask(before);
    }
  });
}
