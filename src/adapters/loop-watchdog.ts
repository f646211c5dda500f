import { Worker } from 'node:worker_threads';

/** How a daemon that hangs is replaced by a new one. */
export type Replacement = {
  readonly nodePath: string;
  readonly daemonEntry: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How many daemons in a row were started, the others because one hung. */
  readonly starts: number;
  /** Where the new daemon's last words go. */
  readonly logPath: string;
};

export type WatchdogOrder = {
  readonly home: string;
  /** The daemon's log, to which a line is added. */
  readonly logFile: string;
  /** Takes the stack of a daemon that is ended. */
  readonly crashFile: string;
  readonly pid: number;
  /** The code with which a daemon that hangs is ended. */
  readonly exitCode: number;
  /** How long the loop may hang. */
  readonly hungMs: number;
  /** How long it may hang before the daemon has started. */
  readonly startMs: number;
  /** Null when somebody else starts the daemon again. */
  readonly replacement: Replacement | null;
};

/** What the watching thread is given. */
export type WatchdogData = WatchdogOrder & {
  readonly beats: Int32Array;
  /** Not 0 once the daemon has started. */
  readonly started: Int32Array;
};

export type Watchdog = {
  /** From now on the daemon's event loop has to turn as often as ever. */
  noteStarted(): void;
};

/**
 * Has the event loop of this process watched by a thread of its own: what blocks it for a second is
 * logged with its stack, and a process that hangs for good is ended, and replaced if that is wanted.
 */
export function startWatchdog(
  program: string,
  order: WatchdogOrder & Pick<WatchdogData, 'beats'>,
  onFailed: (reason: string) => void,
): Watchdog {
  const started = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const data: WatchdogData = { ...order, started };
  const thread = new Worker(program, {
    workerData: data,
    env: {},
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16, stackSizeMb: 1 },
  });
  thread.unref();
  thread.on('error', (error) => onFailed(error instanceof Error ? error.message : String(error)));
  return { noteStarted: () => void Atomics.store(started, 0, 1) };
}
