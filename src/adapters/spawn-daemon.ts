import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { cleanText } from '../domain/clean-text.js';
import { DAEMON_NODE_FLAGS } from '../domain/daemon-node-flags.js';
import { failed, success } from '../domain/result.js';
import type { Result } from '../domain/result.js';
import { makePath } from './disk-steps.js';

export type DaemonStart = {
  readonly nodePath: string;
  readonly daemonEntry: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the daemon is told of how it was started. */
  readonly marks?: Readonly<Record<string, string>>;
  /** Where the daemon's own last words go, `run/daemon.err`. */
  readonly logPath: string;
};

export type SpawnedDaemon = {
  readonly pid: number;
  /** How it ended with the last line it left, or null while it runs. */
  exit(): { readonly code: number | null; readonly lastLine: string } | null;
};

/** Starts a daemon in a session of its own that outlives whoever started it. */
export async function spawnDaemon(start: DaemonStart): Promise<Result<SpawnedDaemon>> {
  const words = openLastWords(start);
  if (!words.ok) return words;
  const { descriptor, offset } = words.value;
  const child = spawn(start.nodePath, [...DAEMON_NODE_FLAGS, start.daemonEntry], {
    cwd: start.home,
    env: daemonEnvironment(start),
    detached: true,
    stdio: ['ignore', descriptor, descriptor],
  });
  closeSync(descriptor);
  const failure = await startOf(child);
  if (failure !== null || child.pid === undefined) {
    const code = failure ?? 'UNKNOWN';
    return failed({ kind: 'io-failed', path: start.nodePath, operation: 'run', code });
  }
  child.unref();
  let ended: { readonly code: number | null } | null = null;
  child.once('exit', (code) => {
    ended = { code };
  });
  const exit: SpawnedDaemon['exit'] = () =>
    ended === null ? null : { code: ended.code, lastLine: readLastLine(start.logPath, offset) };
  return success({ pid: child.pid, exit });
}

const KEPT_BYTES = 256 * 1024;
const LAST_LINE_BYTES = 8 * 1024;
const LONGEST_LINE = 300;

/** What an agent's environment says about its task is not the daemon's; its marker would get the
 * daemon killed together with the agent. */
const KEPT_NAMES = /^ORANGE_(?:TMUX_SOCKET|FAILPOINT|HUNG_MS|DEMO_\w+)$/;

function daemonEnvironment(start: DaemonStart): Record<string, string> {
  const { env, home } = start;
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isForDaemon(entry[0]),
  );
  return { ...Object.fromEntries(kept), ORANGE_HOME: home, ...start.marks };
}

function isForDaemon(name: string): boolean {
  if (name === 'TMUX' || name === 'TMUX_PANE') return false;
  return !name.startsWith('ORANGE_') || KEPT_NAMES.test(name);
}

async function startOf(child: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(null));
    child.once('error', (error) => {
      resolve('code' in error && typeof error.code === 'string' ? error.code : error.message);
    });
  });
}

const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK, O_NOFOLLOW } = constants;
const APPENDING = O_WRONLY | O_APPEND | O_CREAT;

/** Opens the file for appending and says where this daemon's part of it begins. */
function openLastWords(start: DaemonStart): Result<{ descriptor: number; offset: number }> {
  try {
    makePath(start.home);
    makePath(dirname(start.logPath));
    // A pipe in its place would be waited at for ever.
    const descriptor = openSync(start.logPath, APPENDING | O_NONBLOCK | O_NOFOLLOW, 0o600);
    fchmodSync(descriptor, 0o600);
    if (fstatSync(descriptor).size > KEPT_BYTES) ftruncateSync(descriptor);
    return success({ descriptor, offset: fstatSync(descriptor).size });
  } catch (error) {
    return failed({
      kind: 'io-failed',
      path: start.logPath,
      operation: 'open',
      code: readCode(error),
    });
  }
}

function readLastLine(path: string, offset: number): string {
  try {
    const descriptor = openSync(path, 'r');
    const { size } = fstatSync(descriptor);
    const from = Math.max(offset, size - LAST_LINE_BYTES);
    const bytes = Buffer.alloc(Math.max(0, size - from));
    readSync(descriptor, bytes, 0, bytes.length, from);
    closeSync(descriptor);
    const lines = cleanText(bytes.toString('utf8')).split('\n');
    return lines.findLast((line) => line.trim() !== '')?.slice(0, LONGEST_LINE) ?? '';
  } catch (error) {
    return readCode(error);
  }
}

function readCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    return error.code;
  }
  throw error;
}
