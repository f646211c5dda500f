import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { openContext, type ProcessFacts } from './open-context.js';
import { createProcessOutput, endUnwritten } from './process-output.js';
import { hasJsonFlag, reportBug, runCli } from './run-cli.js';
import { createTerminal } from './terminal.js';

/** Runs the command line of a process; `entry` is the address of the program's own file. */
export async function runProgram(host: NodeJS.Process, entry: string): Promise<void> {
  const { stdout, stderr } = host;
  const argv = host.argv.slice(2);
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => endUnwritten(host, error));
  }
  host.on('uncaughtException', (error) => {
    const form = hasJsonFlag(argv) ? 'json' : 'human';
    host.exit(reportBug(createProcessOutput(host, form), error));
  });
  host.exitCode = await runCli({
    argv,
    version: __ORANGE_VERSION__,
    stdout,
    stderr,
    createOutput: (form) => createProcessOutput(host, form),
    openContext: (output) => openContext(readFacts(host, entry), output),
  });
}

function readFacts(host: NodeJS.Process, entry: string): ProcessFacts {
  const { stdin, stdout, stderr, env } = host;
  return {
    env,
    cwd: currentDirectory(host),
    homedir: homedir(),
    pid: host.pid,
    nodePath: host.execPath,
    nodeVersion: host.versions.node,
    version: __ORANGE_VERSION__,
    platform: host.platform,
    uid: host.getuid?.() ?? null,
    daemonEntry: fileURLToPath(new URL('./orange-daemon.js', entry)),
    terminal: createTerminal({ stdin, stdout, stderr }, env),
  };
}

// A shell may stand in a directory that somebody has removed.
function currentDirectory(host: NodeJS.Process): string {
  try {
    return host.cwd();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '/';
    throw error;
  }
}
