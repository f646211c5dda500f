import { createInterface } from 'node:readline/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { ReadStream, WriteStream } from 'node:tty';
import { choosePager, exceedsScreen } from './choose-pager.js';
import type { Environment, Terminal } from './command-context.js';

/** The terminal of this process, as far as its streams are one. */
export function createTerminal(
  streams: {
    readonly stdin: Readable;
    readonly stdout: NodeJS.WritableStream;
    readonly stderr: NodeJS.WritableStream;
  },
  env: Environment,
): Terminal {
  const { stdin, stdout, stderr } = streams;
  return {
    isInteractive: stdin instanceof ReadStream && stderr instanceof WriteStream,
    screen: stdin instanceof ReadStream && stdout instanceof WriteStream ? { stdin, stdout } : null,
    ask: (question) => ask(streams, question),
    page: async (text) =>
      stdin instanceof ReadStream && stdout instanceof WriteStream && page(stdout, env, text),
    readInput: (deadline) => readInput(stdin, deadline),
  };
}

async function page(screen: WriteStream, env: Environment, text: string): Promise<boolean> {
  const pager = choosePager(env);
  if (pager === null || !exceedsScreen(text, screen)) return false;
  const { pageText } = await import('../adapters/page-text.js');
  return pageText(text, pager);
}

// The end of input, Ctrl-C included, answers like an empty line: no. It leaves the line half written.
async function ask(
  streams: { readonly stdin: NodeJS.ReadableStream; readonly stderr: NodeJS.WritableStream },
  question: string,
): Promise<string> {
  const lines = createInterface({ input: streams.stdin, output: streams.stderr });
  const closed = new Promise<null>((resolve) => {
    lines.once('close', () => resolve(null));
  });
  try {
    const answer = await Promise.race([lines.question(question), closed]);
    if (answer === null) streams.stderr.write('\n');
    return answer ?? '';
  } finally {
    lines.close();
  }
}

async function readInput(stdin: Readable, deadline?: AbortSignal): Promise<string | null> {
  const input = deadline === undefined ? stdin : addAbortSignal(deadline, stdin);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of input) chunks.push(Buffer.from(chunk));
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    if (error instanceof TypeError || deadline?.aborted === true) return null;
    throw error;
  }
}
