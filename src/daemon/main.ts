import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFailpoints } from '../adapters/failpoint-actions.js';
import { describeFailure, exitCodeFor } from '../domain/describe-failure.js';
import { armFailpoints } from '../domain/failpoint.js';
import type { Failure } from '../domain/failure.js';
import { defaultHome } from '../record/paths.js';
import { startDaemon, type Daemon } from './daemon.js';

const EXIT_BUG = 70;

async function main(): Promise<void> {
  let daemon: Daemon | null = null;
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) return;
    isStopping = true;
    // A daemon that cannot end its work in time goes anyway: what it owes is in the outbox.
    setTimeout(() => process.exit(0), 5000).unref();
    const ended = daemon === null ? Promise.resolve() : daemon.stop();
    ended.then(
      () => process.exit(0),
      (error: unknown) => dieOfBug(error),
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  process.on('uncaughtException', dieOfBug);
  process.on('unhandledRejection', dieOfBug);
  const faults = process.env['ORANGE_FAILPOINT'];
  if (faults !== undefined && faults !== '') {
    const action = readFailpoints(faults);
    if (!action.ok) return giveUp(action.failure);
    armFailpoints(action.value);
  }
  const started = await startDaemon({
    home: defaultHome(process.env, homedir()),
    env: process.env,
    pid: process.pid,
    nodePath: process.execPath,
    programs: dirname(fileURLToPath(import.meta.url)),
    version: __ORANGE_VERSION__,
    rssBytes: () => process.memoryUsage.rss(),
    onStopWanted: () => setImmediate(stop),
  });
  if (started.ok) {
    daemon = started.value;
    return;
  }
  giveUp(started.failure);
}

function giveUp(failure: Failure): void {
  const { message, hint } = describeFailure(failure);
  process.stderr.write(`${hint === null ? message : `${message} ${hint}`}\n`);
  process.exit(exitCodeFor(failure));
}

function dieOfBug(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`A bug in orange's daemon: ${text}\n`);
  process.exit(EXIT_BUG);
}

await main();
