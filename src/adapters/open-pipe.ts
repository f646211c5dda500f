import { spawn } from 'node:child_process';

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

export function openPipe(command: PipeCommand): Pipe {
  const child = spawn(command.program, [...command.argv], {
    env: { ...command.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let errors = '';
  let hasEnded = false;
  const end = (code: string | null): void => {
    if (hasEnded) return;
    hasEnded = true;
    command.onEnd({ code, errors });
  };
  // Out of descriptors, Node gives no streams at all.
  const streams = [child.stdin, child.stdout, child.stderr].filter(
    (stream) => stream !== undefined,
  );
  for (const stream of streams) stream.on('error', () => undefined);
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

const MAX_ERROR_LENGTH = 4096;
