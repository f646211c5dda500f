/** The longest line a client may send. */
export const MAX_CALL_BYTES = 1024 * 1024;

/** The longest line the daemon may send. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export type FramingProblem = 'line-too-long' | 'not-utf8';

/** The whole lines that a chunk completed; after a problem the stream is of no further use. */
export type Framed = {
  readonly lines: readonly string[];
  readonly problem: FramingProblem | null;
};

export interface LineDecoder {
  push(chunk: Uint8Array): Framed;
  /** Whether a line has begun and not ended. */
  hasPartialLine(): boolean;
}

export function encodeLine(message: object): string {
  return `${JSON.stringify(message)}\n`;
}

/**
 * Cuts a byte stream at LF and nowhere else: readline would also cut at U+2028 and U+2029, which
 * are legal inside JSON strings. Lines are cut before they are decoded, so that a character split
 * between two chunks stays whole.
 */
export function createLineDecoder(maxBytes: number): LineDecoder {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  // One growing buffer, not a list of chunks: a sender of single bytes must not cost an object each.
  let partial = new Uint8Array(0);
  let used = 0;
  let problem: FramingProblem | null = null;

  const take = (piece: Uint8Array): void => {
    if (used + piece.byteLength > maxBytes) {
      problem = 'line-too-long';
      partial = new Uint8Array(0);
      used = 0;
      return;
    }
    if (used + piece.byteLength > partial.byteLength) {
      partial = grow(partial, used, Math.min(maxBytes, 2 * (used + piece.byteLength)));
    }
    partial.set(piece, used);
    used += piece.byteLength;
  };

  const finish = (lines: string[]): void => {
    try {
      lines.push(decoder.decode(partial.subarray(0, used)));
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      problem = 'not-utf8';
    }
    used = 0;
    if (partial.byteLength > KEPT_BYTES) partial = new Uint8Array(0);
  };

  return {
    push: (chunk) => {
      const lines: string[] = [];
      for (let start = 0; start < chunk.byteLength; ) {
        const end = chunk.indexOf(LINE_FEED, start);
        if (problem === null) take(chunk.subarray(start, end === -1 ? chunk.byteLength : end));
        if (problem !== null || end === -1) break;
        finish(lines);
        start = end + 1;
      }
      return { lines, problem };
    },
    hasPartialLine: () => used > 0,
  };
}

const LINE_FEED = 0x0a;
const KEPT_BYTES = 64 * 1024;

function grow(bytes: Uint8Array, used: number, size: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(size);
  larger.set(bytes.subarray(0, used));
  return larger;
}
