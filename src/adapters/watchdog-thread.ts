import { appendFileSync, openSync, readSync, writeFileSync } from 'node:fs';
import { Session, type Debugger } from 'node:inspector';
import { kill } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import type { JsonValue } from '../domain/json.js';
import { HangJudge, type LoopVerdict, type ThreadUse } from './hang-judge.js';
import type { WatchdogData } from './loop-watchdog.js';
import { spawnDaemon } from './spawn-daemon.js';

// This file is the program of the thread that watches the daemon's event loop.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const order = workerData as WatchdogData;

const EVERY_MS = 500;
const BLOCKED_MS = 1000;
/** How long to wait for the stack of a thread that is perhaps in a call to the system. */
const STACK_LIMIT_MS = 1000;
const EXIT_LIMIT_MS = 10_000;
const MAX_FRAMES = 30;
const MAX_STARTS = 4;
const LONG_LIFE_MS = 600_000;
/** The kernel counts processor time in hundredths of a second. */
const TICK_MS = 10;
/** So many fields of a thread's line, from its state on, reach to its processor time. */
const CPU_FIELDS = 13;

const { hungMs, startMs } = order;
const judge = new HangJudge({ everyMs: EVERY_MS, blockedMs: BLOCKED_MS, hungMs, startMs });
const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
const readThread = openThread(order.pid);
let look: StackLook | null = null;

for (;;) {
  const verdict = judge.judge({
    beats: Atomics.load(order.beats, 0),
    monotonicMs: performance.now(),
    isStarting: Atomics.load(order.started, 0) === 0,
    thread: readThread(),
  });
  await act(verdict);
  // Asleep, the thread costs nothing; what the debugger tells comes only while it is awake.
  if (look === null) Atomics.wait(pause, 0, 0, EVERY_MS);
  else await delay(EVERY_MS);
}

async function act(verdict: LoopVerdict): Promise<void> {
  if (verdict === 'turns') {
    look?.end();
    look = null;
  }
  if (verdict === 'blocked') look = lookAtStack();
  if (verdict === 'hung') {
    // This thread itself may have had to wait so long that it never saw it blocked.
    look ??= lookAtStack();
    await endDaemon();
  }
}

type StackLook = { readonly session: Session; stack(): string | null; end(): void };

/** Stops the loop's thread for a moment, wherever it is, to write down what it does. */
function lookAtStack(): StackLook {
  const session = new Session();
  const urls = new Map<string, string>();
  let stack: string | null = null;
  session.connectToMainThread();
  session.on('Debugger.scriptParsed', ({ params }) => void urls.set(params.scriptId, params.url));
  session.on('Debugger.paused', ({ params }) => {
    stack ??= formatStack(params.callFrames, urls);
    session.post('Debugger.resume');
    writeLog({ event: 'loop.blocked', level: 'warn', held_ms: Math.round(judge.heldMs), stack });
  });
  session.post('Debugger.enable');
  session.post('Debugger.pause');
  return { session, stack: () => stack, end: () => session.disconnect() };
}

function formatStack(
  frames: readonly Debugger.CallFrame[],
  urls: ReadonlyMap<string, string>,
): string {
  const lines = frames.slice(0, MAX_FRAMES).map(({ functionName, location }) => {
    const url = urls.get(location.scriptId) ?? '?';
    const at = `${url}:${location.lineNumber + 1}:${(location.columnNumber ?? 0) + 1}`;
    return `    at ${functionName === '' ? '<anonymous>' : functionName} (${at})`;
  });
  return lines.join('\n');
}

/** Ends the process with a code if its thread can still be reached, and with a signal if not. */
async function endDaemon(): Promise<never> {
  const heldMs = Math.round(judge.heldMs);
  if (look?.stack() === null) await delay(STACK_LIMIT_MS);
  const stack = look?.stack() ?? '    in a call to the system that does not come back';
  writeLog({ event: 'daemon.hung', level: 'error', held_ms: heldMs, stack });
  attempt(() => writeCrash(`The daemon hung for ${heldMs} ms and was ended.\n${stack}\n`));
  await startReplacement();
  if (look !== null && look.stack() !== null) {
    const expression = `process.reallyExit(${order.exitCode})`;
    look.session.post('Runtime.evaluate', { expression });
    await delay(EXIT_LIMIT_MS);
  }
  kill(order.pid, 'SIGKILL');
  return new Promise(() => undefined);
}

/** Starts the next daemon, unless one after another hangs: that is then left to the next command. */
async function startReplacement(): Promise<void> {
  const { home, pid, replacement } = order;
  if (replacement === null) return;
  const { nodePath, daemonEntry, env, logPath } = replacement;
  const starts = performance.now() > LONG_LIFE_MS ? 1 : replacement.starts + 1;
  if (starts > MAX_STARTS) return;
  const marks = { ORANGE_DETACHED: `${starts}`, ORANGE_REPLACES: `${pid}` };
  const started = await spawnDaemon({ nodePath, daemonEntry, env, logPath, home, marks });
  if (!started.ok) writeLog({ event: 'daemon.not-replaced', level: 'error', ...started.failure });
}

function writeCrash(text: string): void {
  writeFileSync(order.crashFile, `${new Date().toISOString()} pid ${order.pid}\n${text}`, {
    mode: 0o600,
  });
}

/** The log's own writer is in the thread that hangs. */
function writeLog({ level, ...facts }: Readonly<Record<string, JsonValue>>): void {
  const line = JSON.stringify({ level, time: new Date().toISOString(), ...facts });
  attempt(() => appendFileSync(order.logFile, `${line}\n`, { mode: 0o600 }));
}

// A full disk must not keep the watchdog from what it is there for.
function attempt(write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

/** Reads what the kernel says of a process's first thread, which has its number: null where it says nothing. */
function openThread(pid: number): () => ThreadUse | null {
  const line = Buffer.allocUnsafeSlow(4096);
  let descriptor: number | null = null;
  return () => {
    try {
      descriptor ??= openSync(`/proc/${pid}/task/${pid}/stat`, 'r');
      const length = readSync(descriptor, line, 0, line.length, 0);
      return parseThread(line.toString('latin1', 0, length));
    } catch (error) {
      if (error instanceof Error && 'code' in error) return null;
      throw error;
    }
  };
}

function parseThread(stat: string): ThreadUse {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ', CPU_FIELDS);
  const cpuMs = (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  const state = fields[0] ?? '';
  if (state === 'R') return { state: 'running', cpuMs };
  return { state: 'Tt'.includes(state) ? 'stopped' : 'waiting', cpuMs };
}
