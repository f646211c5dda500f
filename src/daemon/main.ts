import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { fileURLToPath } from 'node:url';
import { createDiskFiles } from '../adapters/disk-files.js';
import { readFailpoints } from '../adapters/failpoint-actions.js';
import { startLoopPulse } from '../adapters/loop-pulse.js';
import { startWatchdog, type Watchdog } from '../adapters/loop-watchdog.js';
import { holdSpareDescriptor } from '../adapters/spare-descriptor.js';
import { describeBug } from '../domain/describe-bug.js';
import { describeFailure, EXIT, exitCodeFor } from '../domain/describe-failure.js';
import { armFailpoints } from '../domain/failpoint.js';
import type { Failure } from '../domain/failure.js';
import type { Result } from '../domain/result.js';
import { createPaths, defaultHome } from '../record/paths.js';
import { startDaemon, type Daemon } from './daemon.js';
import { orderWatchdog } from './order-watchdog.js';

const REPLACE_LIMIT_MS = 15_000;
const home = defaultHome(process.env, homedir());
const entry = fileURLToPath(import.meta.url);
const programs = dirname(entry);
const pulse = startLoopPulse(() => performance.now());

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
  holdSpareDescriptor();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  process.on('uncaughtException', dieOfBug);
  process.on('unhandledRejection', dieOfBug);
  const faults = process.env['ORANGE_FAILPOINT'];
  if (faults !== undefined && faults !== '') {
    const action = readFailpoints(faults);
    if (!action.ok) return giveUp(action.failure);
    armFailpoints(action.value);
  }
  const watchdog = watchLoop();
  const started = await startInPlace(stop);
  if (!started.ok) return giveUp(started.failure);
  daemon = started.value;
  watchdog.noteStarted();
  keepHeapSmall();
}

/**
 * V8 would let garbage pile up to several times of what is in use, and leave the pages that it was
 * on half empty; a daemon for days stays small.
 */
function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=30');
  setFlagsFromString('--compact-on-every-full-gc');
}

function watchLoop(): Watchdog {
  const { env, pid, execPath: nodePath } = process;
  return startWatchdog(
    join(programs, 'orange-watchdog.js'),
    { ...orderWatchdog({ home, env, pid, nodePath, daemonEntry: entry }), beats: pulse.beats },
    (reason) => process.stderr.write(`The daemon's event loop is not watched: ${reason}\n`),
  );
}

/** Starts the daemon; one that replaces another waits a while for that to be gone. */
async function startInPlace(stop: () => void): Promise<Result<Daemon>> {
  const isReplacing = process.env['ORANGE_REPLACES'] !== undefined;
  const limitMs = performance.now() + (isReplacing ? REPLACE_LIMIT_MS : 0);
  for (;;) {
    const started = await startDaemon({
      home,
      env: process.env,
      pid: process.pid,
      nodePath: process.execPath,
      programs,
      version: __ORANGE_VERSION__,
      rssBytes: () => process.memoryUsage.rss(),
      loopLag: () => pulse.lag(),
      onStopWanted: () => setImmediate(stop),
    });
    if (started.ok || started.failure.kind !== 'home-locked') return started;
    if (performance.now() >= limitMs) return started;
    await delay(100);
  }
}

function giveUp(failure: Failure): void {
  const { message, hint } = describeFailure(failure);
  process.stderr.write(`${hint === null ? message : `${message} ${hint}`}\n`);
  process.exit(exitCodeFor(failure));
}

function dieOfBug(error: unknown): void {
  const text = describeBug(error);
  process.stderr.write(`A bug in orange's daemon: ${text}\n`);
  const crash = `${new Date().toISOString()} pid ${process.pid}, orange ${__ORANGE_VERSION__}\n${text}\n`;
  createDiskFiles().replace(createPaths(home).crashFile, crash);
  process.exit(EXIT.bug);
}

await main();
