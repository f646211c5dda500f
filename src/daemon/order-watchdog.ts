import { join } from 'node:path';
import type { Replacement, WatchdogOrder } from '../adapters/loop-watchdog.js';
import { EXIT } from '../domain/describe-failure.js';
import { createPaths } from '../record/paths.js';

const HUNG_MS = 10_000;
/** A home with a hundred thousand tasks is read in less time than this. */
const START_HUNG_MS = 120_000;

type Env = Readonly<Record<string, string | undefined>>;

/** What the watchdog of this daemon has to know. `ORANGE_HUNG_MS` sets both limits, for tests. */
export function orderWatchdog(daemon: {
  readonly home: string;
  readonly env: Env;
  readonly pid: number;
  readonly nodePath: string;
  readonly daemonEntry: string;
}): WatchdogOrder {
  const { home, env, pid } = daemon;
  const paths = createPaths(home);
  const setMs = Number(env['ORANGE_HUNG_MS'] ?? '');
  return {
    home,
    logFile: join(paths.home, 'orange.log'),
    crashFile: paths.crashFile,
    pid,
    exitCode: EXIT.hung,
    hungMs: setMs || HUNG_MS,
    startMs: setMs || START_HUNG_MS,
    replacement: planReplacement(daemon, join(paths.runDir, 'daemon.err')),
  };
}

/**
 * A daemon that a command started is replaced by the watchdog; one that is a service is started
 * again by whoever runs it. Faults that were injected are not handed on.
 */
function planReplacement(
  daemon: { readonly env: Env } & Pick<Replacement, 'nodePath' | 'daemonEntry'>,
  logPath: string,
): Replacement | null {
  const { nodePath, daemonEntry } = daemon;
  const { ORANGE_DETACHED: start, ORANGE_FAILPOINT: _fault, ...env } = daemon.env;
  const starts = Number(start ?? '');
  if (!Number.isSafeInteger(starts) || starts < 1) return null;
  return { nodePath, daemonEntry, env, starts, logPath };
}
