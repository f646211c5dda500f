import type { Writable } from 'node:stream';

/** Lines on their way to one reader, written only as fast as it reads. */
export interface SendQueue {
  /** Queues a line that is made when its turn comes; `onSent` runs once the stream has it. */
  send(encode: () => string, onSent?: () => void): void;
  /** Queues a finished line unless too much lies unread already. */
  offer(line: string): 'queued' | 'full';
  /** Ends the stream after the last line. */
  finish(): void;
}

type Queued = {
  readonly encode: () => string;
  readonly bytes: number;
  readonly onSent: () => void;
};

export function createSendQueue(input: {
  readonly stream: Writable;
  readonly maxUnreadBytes: number;
  readonly patienceMs: number;
  /** The reader took nothing for too long. */
  readonly onStalled: () => void;
}): SendQueue {
  const { stream } = input;
  const queue: Queued[] = [];
  let queuedBytes = 0;
  let isFinishing = false;
  let stall: NodeJS.Timeout | undefined;

  const pump = (): void => {
    while (!stream.writableNeedDrain && stream.writable) {
      const next = queue.shift();
      if (next === undefined) break;
      queuedBytes -= next.bytes;
      stream.write(next.encode());
      next.onSent();
    }
    if (isFinishing && queue.length === 0 && stream.writable) stream.end();
    const isWaiting = !stream.destroyed && (stream.writableNeedDrain || isFinishing);
    if (isWaiting) stall ??= setTimeout(input.onStalled, input.patienceMs).unref();
  };
  const calm = (): void => {
    clearTimeout(stall);
    stall = undefined;
  };
  stream.on('drain', () => {
    calm();
    pump();
  });
  stream.on('close', () => {
    calm();
    queue.length = 0;
  });

  const add = (queued: Queued): void => {
    if (isFinishing || stream.destroyed) return;
    queue.push(queued);
    queuedBytes += queued.bytes;
    pump();
  };
  return {
    send: (encode, onSent) => add({ encode, bytes: 0, onSent: onSent ?? (() => undefined) }),
    offer: (line) => {
      if (queuedBytes + stream.writableLength > input.maxUnreadBytes) return 'full';
      add({ encode: () => line, bytes: Buffer.byteLength(line), onSent: () => undefined });
      return 'queued';
    },
    finish: () => {
      isFinishing = true;
      pump();
    },
  };
}
