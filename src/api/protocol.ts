import type { Failure } from '../domain/failure.js';
import type { Finding, MendOrder, MendReport } from '../domain/finding.js';
import type { LockView, OverlapView } from '../domain/lock.js';
import type { Actor, Request } from '../domain/request.js';
import type { Restored, SalvageEntry } from '../domain/salvage.js';
import type {
  DaemonStatus,
  NextRow,
  ProjectView,
  Snapshot,
  TaskView,
  WorkspaceView,
} from '../domain/task-view.js';
import type { Diagnostic } from '../domain/diagnostic.js';

/** Raised when a message changes its meaning; client and daemon must agree. */
export const PROTOCOL_VERSION = 1;

/** The daemon's first line on every connection. */
export type Greeting = { readonly orange: string; readonly protocol: number; readonly pid: number };

/** The id of a failure that concerns the connection itself; calls count from 1. */
export const CONNECTION_ID = 0;

/** What a client can ask. `submit` carries every wish that changes something. */
export type Call =
  | { readonly method: 'submit'; readonly request: Request; readonly actor: Actor }
  | { readonly method: 'snapshot' }
  | { readonly method: 'subscribe' }
  | { readonly method: 'status' }
  | { readonly method: 'next' }
  | { readonly method: 'locks' }
  /** Who has something of these paths, or where none are given, of what the task declares. */
  | {
      readonly method: 'check-locks';
      readonly project: string;
      readonly taskId: string | null;
      readonly paths: readonly string[];
    }
  | { readonly method: 'peek'; readonly taskId: string; readonly lines: number }
  /** What is out of place; changes nothing. */
  | { readonly method: 'doctor' }
  | { readonly method: 'mend'; readonly order: MendOrder; readonly actor: Actor }
  | { readonly method: 'stop' };

/** What a `submit` leads to, once all its effects are done. */
export type Outcome = {
  readonly task: TaskView | null;
  readonly project: ProjectView | null;
  readonly workspaces: readonly WorkspaceView[];
  /** What was reserved by hand, if anything was. */
  readonly lock?: LockView;
  /** Facts worth telling the person that are not failures, e.g. `registered-project`. */
  readonly notes: readonly Note[];
  /** Only after a wish about saved work. */
  readonly salvage?: SalvageOutcome;
};

export type SalvageOutcome = {
  readonly restored: Restored | null;
  /** What was dropped or removed. */
  readonly entries: readonly SalvageEntry[];
};

export type Note = { readonly code: string; readonly text: string };

export type Results = {
  readonly submit: Outcome;
  readonly snapshot: Snapshot;
  readonly subscribe: Snapshot;
  readonly status: Extract<DaemonStatus, { running: true }>;
  readonly next: readonly NextRow[];
  readonly locks: readonly LockView[];
  readonly 'check-locks': readonly OverlapView[];
  readonly peek: { readonly lines: readonly string[] };
  readonly doctor: readonly Finding[];
  readonly mend: MendReport;
  readonly stop: null;
};

/** Daemon to client, one JSON object per line. */
export type ServerMessage =
  | { readonly id: number; readonly result: Results[keyof Results] }
  | { readonly id: number; readonly failure: Failure }
  /** A step of a `submit` under way, so that the person sees progress. */
  | { readonly id: number; readonly progress: Note }
  /** To subscribers: only what changed since the last push. */
  | { readonly push: Change };

export type Change = {
  readonly tasks: readonly TaskView[];
  readonly removed: readonly string[];
  readonly projects: readonly ProjectView[] | null;
  readonly workspaces: readonly WorkspaceView[] | null;
  readonly problems: readonly Diagnostic[] | null;
  /** The queue, when its order has changed. */
  readonly queue?: readonly string[];
  /** Words to ring for, cleaned; absent when there is nothing to ring for. */
  readonly alert?: string;
};
