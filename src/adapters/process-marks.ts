import type { Result } from '../domain/result.js';

/** A process and the proof that it is still the same one; `start` is null where none can be had. */
export type ProcessMark = { readonly pid: number; readonly start: string | null };

/**
 * What was put into the environment of an agent, by which its descendants are known. A task's id
 * alone is no proof, since people set it in their own shells: a launch id must be there as well.
 */
export type Marker = {
  readonly name: 'ORANGE_LAUNCH_ID' | 'ORANGE_TASK_ID' | 'ORANGE_COMMAND_ID';
  readonly value: string;
};

/**
 * The process of the launcher that waits for an agent, which is above all that the agent has started;
 * `none` for what was given away when its parent ended, to init or whoever takes in orphans.
 */
export type Recorder = number | 'none' | 'unknown';

/** A process that was started by, or by something that was started by, a launch. */
export type LaunchedProcess = ProcessMark & {
  readonly recorder: Recorder;
  /** Whether it or its launcher has a terminal; null where that is not told. */
  readonly hasTerminal: boolean | null;
  readonly taskId: string;
  readonly launchId: string;
  readonly workspace: string | null;
};

/** A process that runs a certain program with certain arguments. */
export type RunningProgram = ProcessMark & { readonly parent: number };

/** A process that has its working directory in a place. */
export type Occupant = ProcessMark & {
  /** The terminal session it is in: the pid of the one that began it. */
  readonly session: number;
  /** Its arguments as the kernel has them. */
  readonly command: string;
};

/** What makes a process one of a launch, or of another beginning. */
export type ProcessTree = {
  readonly markers: readonly Marker[];
  readonly recorders: readonly ProcessMark[];
  readonly known: readonly ProcessMark[];
};

/** What cannot be looked through is a failure, never an empty answer: somebody may be there. */
export interface ProcessTable {
  /** Names this run of the machine; null where it has no name. */
  readonly bootId: string | null;
  /**
   * Whether this very process runs; one that ended but is not yet reaped does not. While the table
   * cannot be read, one of its number that can be signalled counts.
   */
  isAlive(mark: ProcessMark): boolean;
  /** Live processes with the marker in their environment, this one and its parents left out. */
  findMarked(marker: Marker): Promise<Result<readonly ProcessMark[]>>;
  /** Live processes of agents that were started from this home, this one and its parents left out. */
  findLaunched(home: string): Promise<Result<readonly LaunchedProcess[]>>;
  /** Live processes of the terminal session that this process is in, while it lives. */
  findSession(member: ProcessMark): Result<readonly ProcessMark[]>;
  /**
   * Live processes with one of the markers, in the terminal session of a recorder, or known; and
   * their descendants, as far as the line of parents is unbroken. The table is read once.
   */
  findTree(tree: ProcessTree): Promise<Result<readonly ProcessMark[]>>;
  /** Live processes that work at or below a directory, this one left out. */
  findInside(directory: string): Result<readonly Occupant[]>;
  /** Live processes whose arguments are exactly these, the name of the program first. */
  findRunning(argv: readonly string[]): Promise<Result<readonly RunningProgram[]>>;
  /** Live processes that this one has started; none when it has gone. */
  findChildren(parent: ProcessMark): Promise<Result<readonly ProcessMark[]>>;
  /** Sends a signal unless the process is gone or another one by now. */
  signal(mark: ProcessMark, signal: NodeJS.Signals): void;
  /** The mark of a live process, without its start where that cannot be read now; or null. */
  markOf(pid: number): ProcessMark | null;
  /** How many files a process has open and may have, or null where that is not told. */
  openFiles(pid: number): { readonly used: number; readonly limit: number } | null;
}
