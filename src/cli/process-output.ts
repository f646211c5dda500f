import { EXIT } from '../domain/describe-failure.js';
import { createOutput, type Output } from './output.js';

/** How a process speaks. */
export function createProcessOutput(host: NodeJS.Process, form: 'json' | 'human'): Output {
  const { stdout, stderr, env } = host;
  return createOutput({
    form,
    stdout,
    stderr,
    columns: stdout.isTTY ? widthOf(stdout) : Number.POSITIVE_INFINITY,
    errColumns: widthOf(stderr),
    outColors: colorsOf(stdout, env),
    errColors: colorsOf(stderr, env),
    isLive: stderr.isTTY && env['TERM'] !== 'dumb',
    nowMs: () => Date.now(),
    later: (ms, run) => {
      const timer = setTimeout(run, ms).unref();
      return () => clearTimeout(timer);
    },
  });
}

// A pseudo-terminal that nobody sized says 0.
function widthOf(stream: NodeJS.WriteStream): number {
  return Math.max(40, stream.columns || 80);
}

function colorsOf(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): 'colors' | 'plain' {
  const isWanted = (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  return stream.isTTY && isWanted ? 'colors' : 'plain';
}

/** Ends a process whose output could not be written. */
export function endUnwritten(host: NodeJS.Process, error: NodeJS.ErrnoException): never {
  // A reader that has seen enough (`orange log | head`) is no error.
  host.exit(error.code === 'EPIPE' ? EXIT.done : reportUnwritten(host, error));
}

// Standard output is what failed, so the message cannot go there, whatever form was asked for.
function reportUnwritten(host: NodeJS.Process, { code, message }: NodeJS.ErrnoException): number {
  const reason = code === 'ENOSPC' ? 'there is no space left' : (code ?? message);
  createProcessOutput(host, 'human').error('io-failed', {
    message: `Could not write the output: ${reason}.`,
    hint: null,
  });
  return EXIT.failed;
}
