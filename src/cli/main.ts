import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { EXIT } from '../domain/describe-failure.js';
import { createOutput, type Output } from './output.js';
import { openContext, type ProcessFacts } from './open-context.js';
import { hasJsonFlag, reportBug, runCli } from './run-cli.js';
import { createTerminal } from './terminal.js';

const { stdin, stdout, stderr, env } = process;

// A reader that has seen enough (`orange log | head`) is no error.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    process.exit(reportUnwritten(error));
  });
}
process.on('uncaughtException', (error) => {
  const form = hasJsonFlag(process.argv.slice(2)) ? 'json' : 'human';
  process.exit(reportBug(createProcessOutput(form), error));
});

process.exitCode = await runCli({
  argv: process.argv.slice(2),
  version: __ORANGE_VERSION__,
  stdout,
  stderr,
  createOutput: createProcessOutput,
  openContext: (output) => openContext(readFacts(), output),
});

// Standard output is what failed, so the message cannot go there, whatever form was asked for.
function reportUnwritten({ code, message }: NodeJS.ErrnoException): number {
  const reason = code === 'ENOSPC' ? 'there is no space left' : (code ?? message);
  createProcessOutput('human').error('io-failed', {
    message: `Could not write the output: ${reason}.`,
    hint: null,
  });
  return EXIT.failed;
}

function createProcessOutput(form: 'json' | 'human'): Output {
  return createOutput({
    form,
    stdout,
    stderr,
    // A pseudo-terminal that nobody sized says 0.
    columns: Math.max(40, stdout.columns || 80),
    outColors: colorsOf(stdout),
    errColors: colorsOf(stderr),
    isLive: stderr.isTTY && env['TERM'] !== 'dumb',
    nowMs: () => Date.now(),
  });
}

function colorsOf(stream: NodeJS.WriteStream): 'colors' | 'plain' {
  const isWanted = (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  return stream.isTTY && isWanted ? 'colors' : 'plain';
}

function readFacts(): ProcessFacts {
  return {
    env,
    cwd: currentDirectory(),
    homedir: homedir(),
    pid: process.pid,
    nodePath: process.execPath,
    nodeVersion: process.versions.node,
    daemonEntry: fileURLToPath(new URL('./orange-daemon.js', import.meta.url)),
    terminal: createTerminal({ stdin, stdout, stderr }),
  };
}

// A shell may stand in a directory that somebody has removed.
function currentDirectory(): string {
  try {
    return process.cwd();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '/';
    throw error;
  }
}
