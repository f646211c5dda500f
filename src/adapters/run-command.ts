import { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { constants } from 'node:os';
import { kill } from 'node:process';
import type { Result as ExecaOutcome } from 'execa';
import { failpoint } from '../domain/failpoint.js';
import type { Failure } from '../domain/failure.js';
import { failed, success } from '../domain/result.js';
import type { Result } from '../domain/result.js';
import { startAwakeTimer } from './awake-timer.js';
import { requireSpareFiles } from './disk-steps.js';

export type Command = {
  readonly program: string;
  readonly argv: readonly string[];
  readonly cwd?: string;
  /** The complete environment; absent means the caller's own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly timeoutMs: number;
  /** Ends a streamed command before its time. */
  readonly signal?: AbortSignal;
  /** Upper bound for each of the two outputs, 16 MiB unless told. */
  readonly maxBytes?: number;
  /** What a failure names; the first word of argv that is no option unless told. */
  readonly action?: string;
};

export type CommandOutcome = {
  readonly stdout: string;
  readonly stderr: string;
  /** 128 plus the signal's number for a command that a signal ended. */
  readonly exitCode: number;
};

/**
 * Runs a short command without a shell, in a process group of its own that is killed as a whole
 * when the time is up. A non-zero exit code is an outcome, not a failure.
 */
export async function runCommand(command: Command): Promise<Result<CommandOutcome>> {
  const { execa } = await import('execa');
  const fault = faultOf(command);
  if (fault !== null) return failed(fault);
  const started = attemptStart(command, () =>
    execa(command.program, [...command.argv], {
      reject: false,
      detached: true,
      stripFinalNewline: false,
      buffer: true,
      maxBuffer: command.maxBytes ?? DEFAULT_MAX_BYTES,
      ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
      ...(command.env === undefined ? {} : { env: command.env, extendEnv: false }),
      ...(command.input === undefined ? { stdin: 'ignore' } : { input: command.input }),
    }),
  );
  if (!started.ok) return started;
  const running = started.value;
  let callOff = doNothing;
  const expiry = new Promise<'expired'>((resolve) => {
    callOff = startAwakeTimer(command.timeoutMs, () => resolve('expired'));
  });
  const outcome = await Promise.race([running, expiry]);
  callOff();
  if (outcome !== 'expired') return readOutcome(command, outcome);
  killGroup(running.pid);
  // A process that left the group may still hold the pipes; they are not waited for.
  running.stdout?.destroy();
  running.stderr?.destroy();
  return failed(timedOut(command));
}

/**
 * Runs a command of any length and gives its output away piece by piece. When it ends, and when its
 * time is up or it is stopped, everything that is left of its process group is killed. Null: it was.
 */
export async function streamCommand(
  command: Command,
  follow: {
    onOutput(bytes: Uint8Array): void;
    /** Told of the leader of the process group as soon as it runs. */
    onStart?(pid: number): void;
  },
): Promise<Result<number | null>> {
  const { execa } = await import('execa');
  const fault = faultOf(command);
  if (fault !== null) return failed(fault);
  const started = attemptStart(command, () =>
    execa(command.program, [...command.argv], {
      reject: false,
      detached: true,
      buffer: false,
      encoding: 'buffer',
      stdin: 'ignore',
      ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
      ...(command.env === undefined ? {} : { env: command.env, extendEnv: false }),
    }),
  );
  if (!started.ok) return started;
  const running = started.value;
  if (running.pid !== undefined) follow.onStart?.(running.pid);
  for (const stream of [running.stdout, running.stderr]) {
    stream?.on('data', (bytes: Uint8Array) => follow.onOutput(bytes));
  }
  const life = limitLife(command, running.pid);
  // What it left behind, even what fled its group, may hold the pipes open: its own end counts.
  running.once('exit', () => {
    killGroup(running.pid);
    for (const stream of [running.stdout, running.stderr]) {
      setTimeout(() => stream?.destroy(), LAST_WORDS_MS).unref();
    }
  });
  const outcome: Outcome = await running;
  if (life.end()) return success(null);
  const exitCode = readExitCode(outcome);
  return exitCode === null ? failed(explainSpawnFailure(command, outcome)) : success(exitCode);
}

/** Kills a process group when its time is up or it is stopped; `end` tells whether that was so. */
function limitLife(
  { timeoutMs, signal }: Command,
  pid: number | undefined,
): { readonly end: () => boolean } {
  let isKilled = false;
  const killAll = (): void => {
    isKilled = true;
    killGroup(pid);
  };
  const callOff = startAwakeTimer(timeoutMs, killAll);
  signal?.addEventListener('abort', killAll, { once: true });
  if (signal?.aborted === true) killAll();
  return {
    end: () => {
      callOff();
      signal?.removeEventListener('abort', killAll);
      return isKilled;
    },
  };
}

/** Runs a command on the caller's own terminal until it ends and gives its exit code. */
export async function runAttached(
  command: Pick<Command, 'program' | 'argv' | 'cwd' | 'env' | 'input'> & {
    /** Gets what the command said on its error output, which is then not shown. */
    onErrors?(text: string): void;
  },
): Promise<Result<number>> {
  const { execa } = await import('execa');
  const { input } = command;
  const outcome: Outcome = await execa(command.program, [...command.argv], {
    reject: false,
    stdout: 'inherit',
    stderr: command.onErrors === undefined ? 'inherit' : 'pipe',
    ...(input === undefined ? { stdin: 'inherit' } : { input }),
    ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
    ...(command.env === undefined ? {} : { env: command.env, extendEnv: false }),
  });
  command.onErrors?.(asText(outcome.stderr));
  const exitCode = readExitCode(outcome);
  return exitCode === null ? failed(explainSpawnFailure(command, outcome)) : success(exitCode);
}

/** Three pipes and the one by which the child tells whether it could start, both ends of each. */
const SPAWN_FILES = 8;
const LAST_WORDS_MS = 500;
const doNothing = (): void => undefined;
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

type Outcome = Pick<
  ExecaOutcome,
  'exitCode' | 'signal' | 'code' | 'isMaxBuffer' | 'originalMessage'
> & {
  readonly stdout?: unknown;
  readonly stderr?: unknown;
};

function readOutcome(command: Command, outcome: Outcome): Result<CommandOutcome> {
  if (outcome.isMaxBuffer) {
    return failed({
      kind: 'command-failed',
      program: command.program,
      action: nameAction(command),
      exitCode: null,
      output: 'output-too-large',
    });
  }
  const exitCode = readExitCode(outcome);
  if (exitCode === null) return failed(explainSpawnFailure(command, outcome));
  return success({ stdout: asText(outcome.stdout), stderr: asText(outcome.stderr), exitCode });
}

function timedOut(command: Command): Failure {
  const { program, timeoutMs } = command;
  return { kind: 'command-timed-out', program, action: nameAction(command), timeoutMs };
}

/**
 * Starts a process. Where another thread took the descriptors that were just there, Node gives a child
 * without streams, at which execa stumbles before anybody listens to the child's own complaint.
 */
function attemptStart<T>(command: Command, start: () => T): Result<T> {
  try {
    return success(start());
  } catch (error) {
    const isWithoutStreams = error instanceof TypeError && error.message.includes('stdio');
    if (!isWithoutStreams) throw error;
    return failed(explainSpawnFailure(command, { code: 'EMFILE' }));
  }
}

// It comes a moment later, and would end the daemon if nobody heard it.
subscribe('child_process', (message) => {
  if (typeof message !== 'object' || message === null || !('process' in message)) return;
  if (message.process instanceof ChildProcess) message.process.on('error', doNothing);
});

/** Why a command cannot even be tried. */
function faultOf(command: Command): Failure | null {
  try {
    failpoint('command.before-run');
    // Out of descriptors, Node gives a process without streams, which execa takes for a bug.
    requireSpareFiles(SPAWN_FILES);
    return null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (typeof code !== 'string') throw error;
    return code === 'ETIMEDOUT' ? timedOut(command) : explainSpawnFailure(command, { code });
  }
}

function readExitCode(outcome: Outcome): number | null {
  if (outcome.exitCode !== undefined) return outcome.exitCode;
  if (outcome.signal === undefined) return null;
  return 128 + constants.signals[outcome.signal];
}

function explainSpawnFailure(
  command: Pick<Command, 'program' | 'cwd'>,
  outcome: { readonly code?: string | undefined; readonly originalMessage?: string | undefined },
): Failure {
  const code = outcome.code ?? 'UNKNOWN';
  // The kernel says ENOENT for a missing directory too; execa tells the two apart in words only.
  const isDirectoryAtFault = outcome.originalMessage?.includes('"cwd" option is invalid') ?? false;
  if (isDirectoryAtFault) {
    return { kind: 'io-failed', path: command.cwd ?? '.', operation: 'enter', code };
  }
  if (code === 'ENOENT') return { kind: 'program-missing', program: command.program };
  return { kind: 'io-failed', path: command.program, operation: 'run', code };
}

function nameAction(command: Command): string {
  return command.action ?? command.argv.find((word) => !word.startsWith('-')) ?? '';
}

function asText(output: unknown): string {
  return typeof output === 'string' ? output : '';
}

/**
 * Kills a process group that is known to be there, by its leader. One of which only processes of
 * another user are left (`sudo` in a set-up) is let be: who looks for strays tells of them.
 */
export function killGroup(pid: number | undefined, send: typeof kill = kill): void {
  if (pid === undefined) return;
  try {
    send(-pid, 'SIGKILL');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
