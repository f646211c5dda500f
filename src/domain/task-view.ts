import type { Attention } from './attention.js';
import type { Diagnostic } from './diagnostic.js';
import type { Finalization } from './finalization.js';
import type { Drift } from './lock.js';
import type { OpenQuestion } from './section.js';
import type { SessionState } from './session.js';
import type { Sources } from './source-health.js';
import type { TaskAction } from './task-actions.js';
import type { Extensions, TaskFields } from './task.js';

/** A reason a waiting task is not running, with a code that stays the same across versions. */
export type WaitReason = {
  readonly code: string;
  readonly message: string;
  /** The command by which a person settles it; absent where it needs nobody. */
  readonly settle?: string;
  /** Since when, where that is not the last change of status. */
  readonly since?: string;
  /** How its agent has ended meanwhile, which the message says too. */
  readonly gone?: string;
  /** When orange itself goes on with it, since 1970, where that is known; `date-reason` says it. */
  readonly dueMs?: number;
};

/** One task as every view shows it. */
export type TaskView = {
  readonly fields: TaskFields;
  readonly extensions: Extensions;
  readonly session: SessionState;
  readonly actions: readonly TaskAction[];
  /** Why a pending task waits, or why a task needs a person; empty when neither. */
  readonly reasons: readonly WaitReason[];
  /** How its living agent gets on, where that is worth a look. */
  readonly attention: AttentionView | null;
  /** What it has changed without having declared it; absent where there is nothing. */
  readonly drift?: Drift;
  /** What the agent asks, while the task waits for the answer. */
  readonly questions: readonly OpenQuestion[];
  /** What is wrong with the task's file, if anything. */
  readonly problems: readonly Diagnostic[];
  /** When the status last changed, ISO 8601. */
  readonly status_since: string;
  /** What `task finalize` last found out, while that counts. */
  readonly finalized?: Finalization;
  /** Set where the program of its reviewer is not installed, so that only a person reviews it. */
  readonly reviewer_missing?: true;
  /** Ids of tasks that its Context names; absent when there are none. */
  readonly mentions?: readonly string[];
};

export type AttentionView = Pick<Attention, 'kind' | 'since' | 'reason'>;

/** What other tasks say of one. Computed from all of them each time, never stored. */
export type Relations = {
  /** Tasks that wait for it. */
  readonly blocks: readonly string[];
  /** Tasks whose `related_to` or Context names it. */
  readonly referenced_by: readonly string[];
};

/**
 * The JSON form of a task in `list`, `create` and `show`: fourteen fields, set extensions, session,
 * and `attention` and computed relations where there are any.
 */
export type TaskJson = TaskFields &
  Partial<Relations> & {
    readonly session: SessionState;
    readonly attention?: AttentionView;
    /** How many files it changed without having declared them. */
    readonly drift?: number;
  };

export function toTaskJson(view: TaskView, relations?: Relations): TaskJson {
  const attention = view.attention === null ? {} : { attention: view.attention };
  const { blocks = [], referenced_by = [] } = relations ?? {};
  return {
    ...view.fields,
    ...view.extensions,
    session: view.session,
    ...attention,
    ...(view.drift === undefined ? {} : { drift: view.drift.count }),
    ...(blocks.length === 0 ? {} : { blocks }),
    ...(referenced_by.length === 0 ? {} : { referenced_by }),
  };
}

export type ProjectView = {
  readonly name: string;
  readonly path: string;
  readonly default_branch: string;
  readonly pool_size: number;
  readonly trusted: 'none-needed' | 'trusted' | 'untrusted' | 'changed';
};

export type WorkspaceView = {
  readonly workspace: string;
  readonly project: string;
  readonly slot: number;
  readonly status: 'available' | 'bound' | 'quarantined';
  readonly task_id: string | null;
  readonly task: string | null;
  readonly path: string;
  /** Why nobody is given it, and whether it waits for a person. */
  readonly set_aside?: { readonly reason: string; readonly given_up: boolean };
};

/** Everything a view needs, as one value. */
export type Snapshot = {
  readonly tasks: readonly TaskView[];
  readonly projects: readonly ProjectView[];
  readonly workspaces: readonly WorkspaceView[];
  /** Problems of files that belong to no readable task, settings included. */
  readonly problems: readonly Diagnostic[];
  /** Ids of pending tasks in the order of `orange next --explain`; absent where no daemon says it. */
  readonly queue?: readonly string[];
  /** Set where no daemon answers, so that this is what the record alone says. */
  readonly isUnsupervised?: true;
};

/** One row of `orange next --explain`. */
export type NextRow = {
  readonly id: string;
  readonly eligible: boolean;
  readonly reasons: readonly WaitReason[];
};

/** How late the daemon gets to what is due, in milliseconds. */
export type LoopLag = { readonly p50: number; readonly p99: number; readonly max: number };

/** What the daemon goes by: config.yaml, or while that is rejected what it last said validly. */
export type SettingsInForce = 'as-written' | 'last-good' | 'defaults';

export type RunningDaemon = {
  readonly running: true;
  readonly pid: number;
  readonly uptime_s: number;
  readonly version: string;
  readonly socket: string;
  readonly home: string;
  readonly tasks: number;
  readonly sessions: number;
  readonly rss_bytes: number;
  readonly loop_lag_ms: LoopLag;
  readonly sources: Sources;
  /** A daemon of an older orange does not tell. */
  readonly settings?: SettingsInForce;
  /** Tasks of which something cannot be written down, and why; null where there is none. */
  readonly unwritten?: Unwritten | null;
};

export type Unwritten = { readonly tasks: number; readonly message: string };

export type DaemonStatus =
  | {
      readonly running: false;
      /** Set, with its number, where a daemon lives and does not answer. */
      readonly answers?: false;
      readonly pid?: number;
      readonly home: string;
      readonly socket: string;
    }
  | RunningDaemon;
