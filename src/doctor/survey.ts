import type { PoolFile } from '../domain/pool.js';
import type { Diagnostic } from '../domain/diagnostic.js';
import type { World } from '../domain/world.js';

/** A process that carries the marks of an agent of this very home. */
export type LaunchedProcess = {
  readonly pid: number;
  /** Proof that it is still the same process; null where none can be had. */
  readonly start: string | null;
  readonly taskId: string;
  readonly launchId: string;
};

/** A session on orange's own terminal server. */
export type SurveyedSession = {
  readonly session: string;
  /** The task it is tagged with; null for one that somebody else made there. */
  readonly taskId: string | null;
  /** Launches whose windows are in it. */
  readonly launchIds: readonly string[];
};

/** .pool.json as it is on disk. */
export type SurveyedPool =
  | { readonly kind: 'absent' }
  | { readonly kind: 'damaged'; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: 'read'; readonly pool: PoolFile };

/** Everything that was looked at, once, so that findings can be told from it alone. */
export type Survey = {
  readonly home: string;
  readonly world: World;
  /** Null when the terminal server could not be asked: nothing follows from that. */
  readonly sessions: readonly SurveyedSession[] | null;
  /** Null when the process table could not be read. */
  readonly processes: readonly LaunchedProcess[] | null;
  /** Tasks, known or not, that have launch files in this home. */
  readonly launchFolders: ReadonlySet<string>;
  readonly poolFile: string;
  readonly pool: SurveyedPool;
  /** Directories in workspaces/. */
  readonly worktrees: ReadonlySet<string>;
};
