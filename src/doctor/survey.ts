import type { Diagnostic } from '../domain/diagnostic.js';
import type { PoolFile } from '../domain/pool.js';
import type { Status } from '../domain/status.js';
import type { World } from '../domain/world.js';

/**
 * The process of the launcher that waits for an agent, which is above all that the agent has started;
 * `none` for what was given away when its parent ended, to init or whoever takes in orphans.
 */
export type Recorder = number | 'none' | 'unknown';

/** A process that carries the marks of an agent of this very home. */
export type LaunchedProcess = {
  readonly pid: number;
  /** Proof that it is still the same process; null where none can be had. */
  readonly start: string | null;
  readonly recorder: Recorder;
  /** Whether it or its launcher has a terminal; null where that is not told. */
  readonly hasTerminal: boolean | null;
  readonly taskId: string;
  readonly launchId: string;
  /** The worktree it was started in. */
  readonly workspace: string | null;
};

/** A session on orange's own terminal server. */
export type SurveyedSession = {
  readonly session: string;
  /** The task it is tagged with; null for one that somebody else made there. */
  readonly taskId: string | null;
  /** Launches whose windows are in it. */
  readonly launches: readonly { readonly window: string; readonly launchId: string }[];
};

/** orange's terminal server: its sessions, or why they are not known. Nothing follows from the latter. */
export type SurveyedTerminal =
  | { readonly kind: 'listed'; readonly sessions: readonly SurveyedSession[] }
  | { readonly kind: 'lost-socket'; readonly pid: number; readonly socket: string }
  | { readonly kind: 'silent'; readonly reason: string };

/** .pool.json as it is on disk. */
export type SurveyedPool =
  | { readonly kind: 'absent' }
  | { readonly kind: 'damaged'; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: 'read'; readonly pool: PoolFile };

/** A directory in workspaces/, or one that should be there. */
export type SurveyedWorktree = {
  readonly workspace: string;
  readonly path: string;
  /** The registered project whose pool it is in. */
  readonly project: string | null;
  readonly state:
    | { readonly kind: 'absent' }
    /** There, but nobody has looked into it. */
    | { readonly kind: 'unseen' }
    /** There, but not a worktree of its project. */
    | {
        readonly kind: 'unusable';
        readonly reason: string;
        /** Whether all that it lacks is its `.git`, which git has on record. */
        readonly isRecoverable: boolean;
      }
    /** `unrest` says why an idle one could not be handed out. */
    | {
        readonly kind: 'worktree';
        readonly branch: string | null;
        readonly unrest: string | null;
      };
  /** Whether the pool counts on it; one that it does not count on is only in git's records. */
  readonly isListed: boolean;
  /** Where it lies, or where git has the branch of its task, instead. */
  readonly movedTo: string | null;
  /** Whether somebody asked git never to forget it. */
  readonly isLocked: boolean;
  readonly locks: readonly { readonly path: string; readonly isStale: boolean }[];
};

/** A worktree's TASK.md that is not the link it should be. */
export type SurveyedLink = {
  readonly taskId: string;
  readonly path: string;
  readonly state: 'absent' | 'elsewhere' | 'copy' | 'obstacle';
};

/** Something that nobody needs any more. */
export type Leftover = {
  readonly path: string;
  readonly what: 'temporary' | 'launch' | 'socket' | 'surplus' | 'set-aside';
};

/** Something of orange's own that others on this machine can get at. */
export type OpenPath = { readonly path: string; readonly mode: number; readonly wanted: number };

/** An agent that lives in its window while nothing in run/ says so any more. */
export type LostRecord = {
  readonly taskId: string;
  readonly session: string;
  readonly window: string;
  readonly launchId: string;
  /** The launcher's process that waits for the agent. */
  readonly recorder: number;
};

/** Everything that was looked at, once, so that findings can be told from it alone. */
export type Survey = {
  readonly home: string;
  /** Whether the daemon itself looks; without one, what it does by itself has to wait for it. */
  readonly isDaemon: boolean;
  readonly world: World;
  readonly terminal: SurveyedTerminal;
  /** Null when the process table could not be read. */
  readonly processes: readonly LaunchedProcess[] | null;
  /** Tasks, known or not, that have launch files in this home. */
  readonly launchFolders: ReadonlySet<string>;
  readonly lostRecords: readonly LostRecord[];
  readonly worktrees: readonly SurveyedWorktree[];
  readonly poolFile: string;
  readonly pool: SurveyedPool;
  readonly projectsFile: string;
  readonly isProjectsFileGone: boolean;
  /** Whether projects.json as it last was valid is kept. */
  readonly hasLastGoodProjects: boolean;
  /** What is wrong with files that belong to no task that could be read, by file. */
  readonly problems: ReadonlyMap<string, readonly Diagnostic[]>;
  /** What is wrong with files of tasks that nobody has noticed yet, by task. */
  readonly unnoticed: ReadonlyMap<string, readonly Diagnostic[]>;
  /** What the files of finished tasks say where it is not how the task ended, by task. */
  readonly finishedClaims: ReadonlyMap<string, Status>;
  readonly links: readonly SurveyedLink[];
  /** Histories whose last line was never finished. */
  readonly tornHistories: readonly { readonly taskId: string; readonly path: string }[];
  readonly outbox: {
    readonly directory: string;
    readonly damaged: readonly string[];
    /** Moves that wait to be completed. */
    readonly waiting: number;
  };
  readonly leftovers: readonly Leftover[];
  readonly openPaths: readonly OpenPath[];
};
