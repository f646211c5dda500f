import { createConnection } from 'node:net';
import type { Socket } from 'node:net';
import type { Failure } from '../domain/failure.js';
import { failed, success } from '../domain/result.js';
import type { Result } from '../domain/result.js';
import type { Snapshot } from '../domain/task-view.js';
import { isRecord } from './field-rules.js';
import { createLineDecoder, encodeLine, MAX_ANSWER_BYTES, MAX_CALL_BYTES } from './framing.js';
import { CONNECTION_ID, PROTOCOL_VERSION } from './protocol.js';
import type { Call, Change, Greeting, Note, Results, ServerMessage } from './protocol.js';
import { checkSocketPath } from './socket-path.js';

export type CallOptions = {
  readonly onProgress?: (note: Note) => void;
  /** Without it a call waits for as long as the daemon lives. */
  readonly timeoutMs?: number;
};

/** One conversation with the daemon. */
export interface Client {
  readonly greeting: Greeting;
  call<C extends Call>(call: C, options?: CallOptions): Promise<Result<Results[C['method']]>>;
  /** The present state, then every change. `onClosed` is told when no more changes will come. */
  subscribe(
    onChange: (change: Change) => void,
    onClosed: (failure: Failure) => void,
  ): Promise<Result<Snapshot>>;
  close(): void;
}

/** Opens a conversation; a daemon that says nothing in time counts as none. */
export async function connect(options: {
  readonly socketPath: string;
  readonly timeoutMs: number;
}): Promise<Result<Client>> {
  const checked = checkSocketPath(options.socketPath);
  if (!checked.ok) return checked;
  return new Promise((resolve) => {
    const socket = createConnection({ path: options.socketPath });
    const timer = setTimeout(() => {
      resolve(failed({ kind: 'daemon-unreachable', reason: 'no-greeting-in-time' }));
      socket.destroy();
    }, options.timeoutMs);
    const conversation = new Conversation(socket, (greeting) => {
      clearTimeout(timer);
      if (!greeting.ok) socket.destroy();
      resolve(greeting.ok ? success(conversation.asClient(greeting.value)) : greeting);
    });
  });
}

type OpenCall = {
  readonly settle: (answer: Result<unknown>) => void;
  readonly onProgress: (note: Note) => void;
};

class Conversation {
  readonly #socket: Socket;
  readonly #decoder = createLineDecoder(MAX_ANSWER_BYTES);
  readonly #open = new Map<number, OpenCall>();
  #onGreeting: ((greeting: Result<Greeting>) => void) | null;
  #lastId = CONNECTION_ID;
  #end: Failure = { kind: 'daemon-unreachable', reason: 'connection-closed' };
  #isClosedByUs = false;
  #subscriber: { onChange: (change: Change) => void; onClosed: (end: Failure) => void } | null =
    null;

  constructor(socket: Socket, onGreeting: (greeting: Result<Greeting>) => void) {
    this.#socket = socket;
    this.#onGreeting = onGreeting;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => {
      const reason = 'code' in error && typeof error.code === 'string' ? error.code : error.message;
      this.#end = { kind: 'daemon-unreachable', reason };
    });
    socket.on('close', () => this.#finish());
  }

  asClient(greeting: Greeting): Client {
    return {
      greeting,
      call: async (call, options) => this.#call(call, options ?? {}),
      subscribe: async (onChange, onClosed) => {
        this.#subscriber = { onChange, onClosed };
        const snapshot = await this.#call({ method: 'subscribe' }, {});
        if (!snapshot.ok) this.#subscriber = null;
        return snapshot;
      },
      close: () => {
        this.#isClosedByUs = true;
        this.#socket.destroy();
      },
    };
  }

  async #call<C extends Call>(
    call: C,
    options: CallOptions,
  ): Promise<Result<Results[C['method']]>> {
    if (this.#socket.destroyed) return failed(this.#end);
    this.#lastId += 1;
    const id = this.#lastId;
    const line = encodeLine({ id, call });
    if (Buffer.byteLength(line) > MAX_CALL_BYTES) {
      const rule = `at most ${MAX_CALL_BYTES} bytes in all`;
      return failed({ kind: 'invalid-argument', argument: call.method, value: '', rule });
    }
    const answer = new Promise<Result<unknown>>((resolve) => {
      const timer = startTimer(options.timeoutMs, (timeoutMs) => {
        this.#open.delete(id);
        const timeoutSeconds = timeoutMs / 1000;
        resolve(failed({ kind: 'waited-too-long', what: call.method, timeoutSeconds }));
      });
      const settle = (result: Result<unknown>): void => {
        clearTimeout(timer);
        resolve(result);
      };
      this.#open.set(id, { settle, onProgress: options.onProgress ?? (() => undefined) });
    });
    this.#socket.write(line);
    // The daemon is orange too: what it answers to a method has that method's type.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return (await answer) as Result<Results[C['method']]>;
  }

  #take(chunk: Buffer): void {
    const framed = this.#decoder.push(chunk);
    for (const line of framed.lines) {
      if (!this.#receive(line)) return this.#breakOff('malformed-answer');
    }
    if (framed.problem !== null) this.#breakOff(framed.problem);
  }

  #breakOff(reason: string): void {
    this.#end = { kind: 'daemon-unreachable', reason };
    this.#socket.destroy();
  }

  #receive(line: string): boolean {
    const message = parseJson(line);
    if (!isRecord(message)) return false;
    if (this.#onGreeting !== null) {
      this.#onGreeting(readGreeting(message));
      this.#onGreeting = null;
      return true;
    }
    if (!isServerMessage(message)) return false;
    this.#deliver(message);
    return true;
  }

  #deliver(message: ServerMessage): void {
    if ('push' in message) {
      // Later than every continuation of the answer before it, so that the snapshot comes first.
      setImmediate(() => this.#subscriber?.onChange(message.push));
    } else if (message.id === CONNECTION_ID) {
      if ('failure' in message) this.#end = message.failure;
    } else if ('progress' in message) {
      this.#open.get(message.id)?.onProgress(message.progress);
    } else {
      const call = this.#open.get(message.id);
      this.#open.delete(message.id);
      call?.settle('failure' in message ? failed(message.failure) : success(message.result));
    }
  }

  #finish(): void {
    this.#onGreeting?.(failed(turnedAway(this.#end)));
    this.#onGreeting = null;
    for (const call of this.#open.values()) call.settle(failed(this.#end));
    this.#open.clear();
    // After the pushes that are still on their way.
    const subscriber = this.#subscriber;
    setImmediate(() => {
      this.#subscriber = null;
      if (!this.#isClosedByUs) subscriber?.onClosed(this.#end);
    });
  }
}

/** Whoever is let in is greeted first: a daemon without a file to open lets nobody in. */
function turnedAway(end: Failure): Failure {
  const isClosed = end.kind === 'daemon-unreachable' && end.reason === 'connection-closed';
  return isClosed ? { ...end, reason: 'turned-away' } : end;
}

function readGreeting(message: Readonly<Record<string, unknown>>): Result<Greeting> {
  const { orange, protocol, pid } = message;
  if (typeof orange !== 'string' || typeof protocol !== 'number' || typeof pid !== 'number') {
    return failed({ kind: 'daemon-unreachable', reason: 'not-an-orange-daemon' });
  }
  if (protocol === PROTOCOL_VERSION) return success({ orange, protocol, pid });
  return failed({
    kind: 'protocol-mismatch',
    ours: PROTOCOL_VERSION,
    theirs: protocol,
    theirVersion: orange,
    pid,
  });
}

function isServerMessage(message: object): message is ServerMessage {
  if ('push' in message) return isRecord(message.push);
  if (!('id' in message) || typeof message.id !== 'number') return false;
  return (
    'result' in message ||
    ('failure' in message && isRecord(message.failure)) ||
    ('progress' in message && isRecord(message.progress))
  );
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function startTimer(
  timeoutMs: number | undefined,
  onExpired: (timeoutMs: number) => void,
): NodeJS.Timeout | undefined {
  return timeoutMs === undefined ? undefined : setTimeout(() => onExpired(timeoutMs), timeoutMs);
}
