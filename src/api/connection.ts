import type { Duplex } from 'node:stream';
import type { Failure } from '../domain/failure.js';
import type { Result } from '../domain/result.js';
import { invalidArgument } from './check-fields.js';
import { createLineDecoder, encodeLine, MAX_ANSWER_BYTES, MAX_CALL_BYTES } from './framing.js';
import type { FramingProblem } from './framing.js';
import { parseCall } from './parse-call.js';
import { CONNECTION_ID } from './protocol.js';
import type { Call, Note, Results } from './protocol.js';
import { createSendQueue } from './send-queue.js';
import type { SendQueue } from './send-queue.js';

export type ConnectionLimits = {
  /** Calls that may be open at a time; further ones wait until one is answered. */
  readonly maxOpenCalls: number;
  /** Unread bytes above which a subscriber is dropped. */
  readonly maxUnreadBytes: number;
  /** How long half a line, or a reader that takes nothing, is put up with. */
  readonly patienceMs: number;
};

export type Answer = Result<Results[keyof Results]>;

type ConnectionInput = {
  readonly stream: Duplex;
  readonly greeting: string;
  readonly limits: ConnectionLimits;
  readonly onCall: (id: number, call: Call) => void;
  /** An answer has left; calls that waited may go on. */
  readonly onAnswered: () => void;
  readonly onClosed: (reason: string) => void;
};

/** The daemon's side of one client: memory stays bounded whatever the client does. */
export class Connection {
  readonly #stream: Duplex;
  readonly #limits: ConnectionLimits;
  readonly #onCall: ConnectionInput['onCall'];
  readonly #onAnswered: ConnectionInput['onAnswered'];
  readonly #queue: SendQueue;
  readonly #decoder = createLineDecoder(MAX_CALL_BYTES);
  readonly #openIds = new Set<number>();
  #lines: string[] = [];
  #subscription: 'none' | 'starting' | 'running' = 'none';
  #heldPushes: string[] = [];
  #closeReason = 'left';
  /** Nothing more is read: the client was refused, or is gone. */
  #isDeaf = false;
  #hasClientEnded = false;
  #halfLine: NodeJS.Timeout | undefined;
  #lastWord: NodeJS.Timeout | undefined;

  constructor(input: ConnectionInput) {
    this.#stream = input.stream;
    this.#limits = input.limits;
    this.#onCall = input.onCall;
    this.#onAnswered = input.onAnswered;
    this.#queue = createSendQueue({
      stream: input.stream,
      maxUnreadBytes: input.limits.maxUnreadBytes,
      patienceMs: input.limits.patienceMs,
      onStalled: () => this.destroy('slow-reader'),
    });
    this.#listen(input);
    this.#queue.send(() => input.greeting);
  }

  /** Answers a call; an answer to a call that is not open goes nowhere. */
  answer(id: number, answer: Answer): void {
    if (!this.#openIds.has(id)) return;
    this.#queue.send(
      () => encodeAnswer(id, answer),
      () => {
        this.#openIds.delete(id);
        // Not at once: a long run of immediate answers must not become a deep stack.
        setImmediate(() => this.#read());
        this.#onAnswered();
      },
    );
  }

  progress(id: number, note: Note): void {
    if (this.#openIds.has(id)) this.#offer(encodeLine({ id, progress: note }));
  }

  /** From now on pushes are kept back, so that none falls between the snapshot and its answer. */
  prepareSubscription(): void {
    if (this.#subscription === 'none') this.#subscription = 'starting';
  }

  /** Lets the pushes through, those kept back first; to be called after the snapshot's answer. */
  startSubscription(): void {
    if (this.#subscription !== 'starting') return;
    this.#subscription = 'running';
    const held = this.#heldPushes;
    this.#heldPushes = [];
    for (const line of held) this.#offer(line);
  }

  abandonSubscription(): void {
    if (this.#subscription !== 'starting') return;
    this.#subscription = 'none';
    this.#heldPushes = [];
  }

  /** Sends a line to a subscriber; one that does not read is dropped. */
  push(line: string): void {
    if (this.#subscription === 'running') this.#offer(line);
    if (this.#subscription === 'starting') this.#heldPushes.push(line);
  }

  isSubscribed(): boolean {
    return this.#subscription !== 'none';
  }

  openCalls(): number {
    return this.#openIds.size;
  }

  /** Ends after everything queued has been written. */
  finish(): void {
    this.#isDeaf = true;
    this.#queue.finish();
  }

  /** Ends with a last line that says why. */
  refuse(reason: string, failure: Failure): void {
    if (this.#isDeaf) return;
    this.#closeReason = reason;
    this.#lines = [];
    this.#queue.send(() => encodeLine({ id: CONNECTION_ID, failure }));
    this.finish();
    // What the client still sends is thrown away, so that it gets to read the last line.
    this.#stream.resume();
    this.#lastWord = setTimeout(() => this.destroy(reason), LAST_WORD_MS).unref();
  }

  destroy(reason: string): void {
    if (this.#stream.destroyed) return;
    this.#closeReason = reason;
    this.#stream.destroy();
  }

  #listen(input: ConnectionInput): void {
    const stream = this.#stream;
    stream.on('data', (chunk: Buffer) => this.#take(chunk));
    stream.on('end', () => {
      this.#hasClientEnded = true;
      this.#read();
    });
    // Without a listener a reset by the client would be an exception; 'close' always follows.
    stream.on('error', (error) => {
      if (this.#closeReason === 'left') this.#closeReason = readCode(error);
    });
    stream.on('close', () => {
      this.#isDeaf = true;
      this.#openIds.clear();
      this.#lines = [];
      this.#heldPushes = [];
      this.#subscription = 'none';
      clearTimeout(this.#halfLine);
      clearTimeout(this.#lastWord);
      input.onClosed(this.#closeReason);
    });
  }

  #take(chunk: Buffer): void {
    if (this.#isDeaf) return;
    const framed = this.#decoder.push(chunk);
    this.#lines.push(...framed.lines);
    this.#read();
    if (framed.problem !== null) this.refuse(framed.problem, framingFailure(framed.problem));
    this.#watchHalfLine();
  }

  #read(): void {
    const { maxOpenCalls } = this.#limits;
    while (!this.#isDeaf && this.#openIds.size < maxOpenCalls) {
      const line = this.#lines.shift();
      if (line === undefined) break;
      this.#receive(line);
    }
    if (this.#isDeaf) return;
    if (this.#openIds.size >= maxOpenCalls) this.#stream.pause();
    else if (this.#stream.isPaused()) this.#stream.resume();
    if (this.#hasClientEnded && this.#openIds.size === 0) this.finish();
  }

  #receive(line: string): void {
    const { id, call } = parseCall(line);
    if (id === null) {
      if (!call.ok) this.refuse('malformed', call.failure);
    } else if (this.#openIds.has(id)) {
      this.refuse('malformed', invalidArgument('id', id, 'not the id of an open call'));
    } else {
      this.#openIds.add(id);
      if (call.ok) this.#onCall(id, call.value);
      else this.answer(id, call);
    }
  }

  #watchHalfLine(): void {
    clearTimeout(this.#halfLine);
    if (this.#isDeaf || !this.#decoder.hasPartialLine()) return;
    this.#halfLine = setTimeout(() => {
      if (this.#stream.isPaused()) this.#watchHalfLine();
      else this.refuse('half-line', invalidArgument('line', '', 'finished in time'));
    }, this.#limits.patienceMs).unref();
  }

  #offer(line: string): void {
    if (this.#queue.offer(line) === 'full') this.destroy('slow-reader');
  }
}

const LAST_WORD_MS = 2000;

function encodeAnswer(id: number, answer: Answer): string {
  const line = encodeLine(
    answer.ok ? { id, result: answer.value } : { id, failure: answer.failure },
  );
  if (Buffer.byteLength(line) <= MAX_ANSWER_BYTES) return line;
  return encodeLine({ id, failure: { kind: 'internal', message: 'answer-too-large' } });
}

function framingFailure(problem: FramingProblem): Failure {
  return problem === 'line-too-long'
    ? invalidArgument('line', '', `at most ${MAX_CALL_BYTES} bytes`)
    : invalidArgument('line', '', 'UTF-8');
}

function readCode(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
