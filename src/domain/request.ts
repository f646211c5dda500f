import type { GateName, MergeStrategy } from './settings.js';
import type { Status } from './status.js';
import type { FrontmatterValue } from './task.js';

/** Who asks: a person at a terminal, an agent (ORANGE_ROLE is set, or the file was edited), or the daemon. */
export type Actor = 'human' | 'agent' | 'daemon';

/** What a report says of an agent. */
export const REPORT_STATES = ['working', 'waiting', 'done'] as const;
export type ReportState = (typeof REPORT_STATES)[number];

/** Extension keys to set; null removes the key. */
export type ExtensionEdits = Readonly<Record<string, FrontmatterValue>>;

export type CreateTask = {
  readonly kind: 'task.create';
  readonly project: string;
  readonly branch: string | null;
  readonly summary: string;
  readonly harness: string | null;
  readonly reviewHarness: string | null;
  readonly context: string | null;
  readonly status: 'pending' | 'clarification' | 'agent-review' | 'reviewing';
  readonly extensions: ExtensionEdits;
};

export type UpdateTask = {
  readonly kind: 'task.update';
  readonly taskId: string;
  readonly status?: Status;
  readonly summary?: string;
  readonly branch?: string;
  readonly harness?: string;
  readonly reviewHarness?: string;
  readonly extensions?: ExtensionEdits;
};

/** A wish that changes a task. It is decided by the engine, never carried out as it stands. */
export type TaskRequest =
  | CreateTask
  | UpdateTask
  | { readonly kind: 'task.spawn'; readonly taskId: string; readonly force: boolean }
  | { readonly kind: 'task.respawn'; readonly taskId: string }
  /** Compares what a task has changed with what it declared. */
  | { readonly kind: 'task.drift'; readonly taskId: string }
  /** Takes from a task what its Plan holds. */
  | { readonly kind: 'task.unlock'; readonly taskId: string }
  /** Writes a TASK.md that says nothing, or is gone, anew with what is known. */
  | { readonly kind: 'task.restore'; readonly taskId: string }
  | { readonly kind: 'task.send'; readonly taskId: string; readonly text: string }
  | {
      readonly kind: 'task.report';
      readonly taskId: string;
      readonly state: ReportState | null;
      readonly text: string | null;
      /** The launch of the agent that speaks; null when it is a person. */
      readonly launchId: string | null;
      /** The id by which the agent's program knows its conversation, where it tells one. */
      readonly conversation?: string;
    }
  | { readonly kind: 'task.ask'; readonly taskId: string; readonly text: string }
  | {
      readonly kind: 'task.answer';
      readonly taskId: string;
      /** The question that is answered; null answers every open one. */
      readonly question: number | null;
      readonly text: string;
    }
  | {
      readonly kind: 'task.review';
      readonly taskId: string;
      readonly verdict: 'PASS' | 'FAIL';
      readonly text: string;
    }
  | { readonly kind: 'task.request-changes'; readonly taskId: string; readonly text: string }
  | {
      readonly kind: 'task.approve' | 'task.reject';
      readonly taskId: string;
      /** The gate that is meant; null is whichever waits. */
      readonly gate: GateName | null;
      /** The status by which the person was asked; a task that has moved on since is left alone. */
      readonly seen?: Status;
      readonly text: string;
    }
  | { readonly kind: 'task.cancel'; readonly taskId: string; readonly reason: string | null }
  | {
      readonly kind: 'task.block';
      readonly taskId: string;
      readonly blockers: readonly string[];
    }
  | {
      readonly kind: 'task.unblock';
      readonly taskId: string;
      /** As they stand in `blocked_by`; none means all. */
      readonly blockers: readonly string[];
    }
  | { readonly kind: 'task.hold'; readonly taskId: string; readonly reason: string }
  | { readonly kind: 'task.release'; readonly taskId: string }
  | {
      readonly kind: 'task.requeue';
      readonly taskId: string;
      /** Why it is not to start again by itself; null lets it start when its turn comes. */
      readonly hold: string | null;
    }
  | { readonly kind: 'task.delete'; readonly taskId: string }
  | { readonly kind: 'task.finalize'; readonly taskId: string }
  | { readonly kind: 'task.reopen'; readonly taskId: string; readonly summary: string | null }
  | {
      readonly kind: 'task.merge';
      readonly taskId: string;
      readonly strategy: MergeStrategy | null;
      readonly push: boolean | null;
      /** The merging person's git identity could not be used; kept for the commit message only. */
      readonly message: string | null;
      /** Also when the branch has moved since its work was judged. */
      readonly anyway?: boolean;
      /** Also when there is an open pull request. */
      readonly local?: boolean;
    }
  | {
      readonly kind: 'task.pr-create';
      readonly taskId: string;
      readonly isDraft: boolean;
      readonly title: string | null;
      readonly body: string | null;
      readonly base: string | null;
    }
  | { readonly kind: 'task.pr-sync'; readonly taskId: string }
  | {
      readonly kind: 'task.pr-feedback';
      readonly taskId: string;
      readonly decision: 'send' | 'dismiss';
    };

export type ProjectRequest =
  | {
      readonly kind: 'project.add';
      readonly path: string;
      readonly name: string | null;
      readonly defaultBranch: string | null;
      readonly poolSize: number | null;
    }
  | {
      readonly kind: 'project.update';
      readonly name: string;
      readonly path: string | null;
      readonly defaultBranch: string | null;
      readonly poolSize: number | null;
    }
  | { readonly kind: 'project.remove'; readonly name: string }
  | { readonly kind: 'project.trust'; readonly name: string };

export type WorkspaceRequest =
  | { readonly kind: 'workspace.init'; readonly project: string }
  | { readonly kind: 'workspace.gc'; readonly project: string | null };

export type SalvageRequest =
  | {
      readonly kind: 'salvage.restore';
      readonly project: string;
      readonly ref: string;
      /** Path of a new worktree; null with no branch either: the task's own, or a new one. */
      readonly into: string | null;
      readonly branch: string | null;
    }
  | { readonly kind: 'salvage.drop'; readonly project: string; readonly ref: string }
  | {
      readonly kind: 'salvage.prune';
      /** Null for every project. */
      readonly project: string | null;
      /** Null for what the settings say. */
      readonly days: number | null;
    };

/** Something is reserved by hand, or let go of again. */
export type LockRequest =
  | {
      readonly kind: 'lock.reserve';
      readonly project: string;
      readonly paths: readonly string[];
      /** For this task, or null: for the person named. */
      readonly taskId: string | null;
      readonly name: string | null;
      readonly ttlMinutes: number | null;
    }
  | { readonly kind: 'lock.release'; readonly id: string };

export type Request =
  | TaskRequest
  | ProjectRequest
  | WorkspaceRequest
  | SalvageRequest
  | LockRequest;
