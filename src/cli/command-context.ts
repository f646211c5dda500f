import type { ReadStream, WriteStream } from 'node:tty';
import type { createDiskFiles } from '../adapters/disk-files.js';
import type { createRepositories } from '../adapters/git/repositories.js';
import type { Client } from '../api/client.js';
import type { Actor } from '../domain/request.js';
import { success, type Result } from '../domain/result.js';
import type { Snapshot } from '../domain/task-view.js';
import type { Paths } from '../record/paths.js';
import type { DaemonHolder } from './daemon-holder.js';
import type { HomeDoctor } from './home-doctor.js';
import type { Output } from './output.js';
import type { Service } from './service/service.js';

export type Files = ReturnType<typeof createDiskFiles>;
export type Repositories = ReturnType<typeof createRepositories>;
export type Environment = Readonly<Record<string, string | undefined>>;

/** The person's side of the terminal. */
export type Terminal = {
  /** Whether there is somebody to ask: standard input and error are both terminals. */
  readonly isInteractive: boolean;
  /** Where a full-screen program can run; null unless standard input and output are terminals. */
  readonly screen: { readonly stdin: ReadStream; readonly stdout: WriteStream } | null;
  ask(question: string): Promise<string>;
  /** Shows text that is longer than the screen in the person's pager; false: it was not shown. */
  page(text: string): Promise<boolean>;
  /** All of standard input, or null when it is not UTF-8, or has not ended by then. */
  readInput(deadline?: AbortSignal): Promise<string | null>;
};

/** Everything a command may use. */
export type CommandContext = {
  readonly paths: Paths;
  readonly env: Environment;
  readonly cwd: string;
  readonly actor: Actor;
  readonly files: Files;
  /** Git, loaded when first needed. */
  readonly repositories: () => Promise<Repositories>;
  readonly output: Output;
  readonly terminal: Terminal;
  readonly nowMs: () => number;
  readonly delay: (ms: number) => Promise<void>;
  /** The version of this program. */
  readonly version: string;
  readonly nodeVersion: string;
  readonly isProcessAlive: (pid: number) => boolean;
  /** Asks a process to end, by signal. */
  readonly endProcess: (pid: number) => void;
  /** The living process that has this home, whether it answers or not. */
  readonly daemonHolder: () => Promise<DaemonHolder | null>;
  /** A connection to the daemon, which is started when it is not running. */
  readonly client: () => Promise<Result<Client>>;
  /** A connection to the daemon, or null when none is running. */
  readonly runningClient: () => Promise<Result<Client | null>>;
  /** Finds and mends what is out of place, through the daemon when it runs. */
  readonly doctor: HomeDoctor;
  /** The service that keeps the daemon of this home running; null where the platform has none. */
  readonly service: Service | null;
  /** Everything there is, from the daemon when it runs, else from the record. */
  readonly snapshot: () => Promise<Result<Snapshot>>;
};

/** How a command ended: its exit code, or why it failed. */
export type Ending = Result<number>;

export const ENDED_WELL: Ending = success(0);

/** Runs a command's work and sees to its output and exit code. */
export type Run = (
  options: { readonly json?: boolean },
  work: (context: CommandContext) => Promise<Ending>,
) => Promise<void>;
