import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';

export type PipeCommand = {
  readonly program: string;
  readonly argv: readonly string[];
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  onText(text: string): void;
  /** Called once, also for a program that could not be started and for one that was dropped. */
  onEnd(end: PipeEnd): void;
};

export type PipeEnd = {
  /** The errno of a program that could not be started. */
  readonly code: string | null;
  /** The beginning of what it said on its error output. */
  readonly errors: string;
};

/** A program that runs for long, spoken to over its input and output. */
export interface Pipe {
  write(text: string): void;
  /** Kills it and waits for nothing. */
  drop(): void;
}

export function openPipe(command: PipeCommand, start: typeof spawn = spawn): Pipe {
  let errors = '';
  let hasEnded = false;
  const end = (code: string | null): void => {
    if (hasEnded) return;
    hasEnded = true;
    command.onEnd({ code, errors });
  };
  const child = startChild(command, start);
  if (typeof child === 'string') {
    // Whoever opened it does not have it yet.
    setImmediate(() => end(child));
    return { write: doNothing, drop: () => end(null) };
  }
  // Out of descriptors, Node gives no streams at all.
  const streams = [child.stdin, child.stdout, child.stderr].filter(
    (stream) => stream !== undefined,
  );
  for (const stream of streams) stream.on('error', doNothing);
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (!hasEnded) command.onText(text);
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(0, MAX_ERROR_LENGTH);
  });
  child.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'UNKNOWN'));
  child.on('close', () => end(null));
  return {
    write: (text) => void child.stdin?.write(text),
    drop: () => {
      child.kill('SIGKILL');
      for (const stream of streams) stream.destroy();
      end(null);
    },
  };
}

/** The child, or the errno for which Node starts none: a few it tells at once, such as ENOMEM. */
function startChild(
  { program, argv, env }: PipeCommand,
  start: typeof spawn,
): ChildProcessWithoutNullStreams | string {
  try {
    return start(program, [...argv], { env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
      return error.code;
    }
    throw error;
  }
}

const doNothing = (): void => undefined;
const MAX_ERROR_LENGTH = 4096;
