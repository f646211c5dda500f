import type { Rung } from './attention.js';
import type { CheckRun } from './check-run.js';
import type { Diagnostic } from './diagnostic.js';
import type { AgentMessage, StartAsked } from './effect.js';
import type { Failure } from './failure.js';
import type { Finalization } from './finalization.js';
import type { EventDraft } from './history-event.js';
import type { PullRequest } from './pull-request.js';
import type { Actor, TaskRequest } from './request.js';
import type { Artifacts } from './section.js';
import type { AgentExit, Role } from './session.js';
import type { Extensions, TaskFields, TaskRecord } from './task.js';

/** Something seen outside, or the result of an effect, or a wish. The engine knows nothing else. */
export type Observation =
  | FileRead
  | {
      readonly kind: 'file-unreadable';
      readonly taskId: string;
      /** Since when, as far as anybody saw, ISO 8601. */
      readonly since: string;
      readonly diagnostics: readonly Diagnostic[];
      readonly lost?: LostFile;
    }
  | {
      /** Somebody wrote into a task's file after orange had replaced it. */
      readonly kind: 'late-edit';
      readonly taskId: string;
      readonly base: TaskRecord;
      readonly late: TaskRecord;
    }
  | {
      /** Words that could not go into the task's file are kept as a transcript of that name. */
      readonly kind: 'edit-kept';
      readonly taskId: string;
      readonly transcript: string;
      /** Headings under which both sides wrote; empty when the text could not be read as a task. */
      readonly sections: readonly string[];
    }
  | AgentEnded
  | AgentStarted
  | {
      readonly kind: 'start-failed';
      readonly taskId: string;
      readonly role: Role;
      readonly launchId: string;
      readonly failure: Failure;
      readonly reason: string;
      /** Why the worktree that was taken for it cannot be given to anybody now. */
      readonly untidy?: Failure;
      /** The launch of the living agent that was ended for it. */
      readonly replaced?: string;
    }
  /** Nothing has come from a living agent for as long as this rung takes. */
  | {
      readonly kind: 'agent-silent';
      readonly taskId: string;
      readonly launchId: string;
      readonly rung: Rung;
      /** The last sign of life, ISO 8601. */
      readonly since: string;
      readonly silentMs: number;
      /** Whether it would read a message now: its screen rests and asks nothing. */
      readonly canBeAsked: boolean;
    }
  /** An agent that had been silent or waiting does something again. */
  | { readonly kind: 'agent-active'; readonly taskId: string; readonly launchId: string }
  /** An agent's screen asks somebody something. */
  | {
      readonly kind: 'agent-waits';
      readonly taskId: string;
      readonly launchId: string;
      readonly reason: string;
    }
  | { readonly kind: 'agent-told'; readonly taskId: string; readonly message: AgentMessage }
  | {
      readonly kind: 'tell-failed';
      readonly taskId: string;
      readonly window: string;
      readonly message: AgentMessage;
      readonly failure: Failure;
    }
  | {
      readonly kind: 'workspace-released';
      readonly taskId: string;
      readonly workspace: string;
      readonly salvageRefs: readonly string[];
    }
  | {
      readonly kind: 'release-failed';
      readonly taskId: string;
      readonly workspace: string;
      readonly failure: Failure;
      readonly reason: string;
    }
  | {
      readonly kind: 'merged';
      readonly taskId: string;
      readonly askedBy: Actor;
      readonly commit: string;
      readonly strategy: string;
      /** What was run on the result before the base moved. */
      readonly checks: readonly CheckRun[];
    }
  | {
      readonly kind: 'merge-failed';
      readonly taskId: string;
      readonly askedBy: Actor;
      readonly failure: Failure;
      readonly reason: string;
      readonly checks: readonly CheckRun[];
    }
  | {
      readonly kind: 'finalized';
      readonly taskId: string;
      readonly finalization: Finalization;
      readonly checks: readonly CheckRun[];
    }
  | { readonly kind: 'finalize-failed'; readonly taskId: string; readonly failure: Failure }
  /** The checks of a Handoff were run. */
  | {
      readonly kind: 'checked';
      readonly taskId: string;
      readonly askedBy: Actor;
      readonly handoff: string;
      readonly checks: readonly CheckRun[];
      readonly log: string;
    }
  /** The files that the commits of a task have changed. */
  | { readonly kind: 'diff-seen'; readonly taskId: string; readonly paths: readonly string[] }
  /** Something about the task was out of place and has been put right. */
  | { readonly kind: 'mended'; readonly taskId: string; readonly event: EventDraft }
  | { readonly kind: 'branch-renamed'; readonly taskId: string; readonly to: string }
  | { readonly kind: 'rename-failed'; readonly taskId: string; readonly failure: Failure }
  | PullRequestSeen
  | {
      readonly kind: 'pull-request-failed';
      readonly taskId: string;
      readonly askedBy: Actor;
      readonly failure: Failure;
    }
  | {
      readonly kind: 'request';
      readonly request: TaskRequest;
      readonly actor: Actor;
      /** Id for a task that the request may create. */
      readonly newId: string;
    }
  /** Time went by, or something else changed: look at one task again. */
  | { readonly kind: 'reconsider'; readonly taskId: string }
  /** A slot may be free: look at everything that waits. */
  | { readonly kind: 'schedule' };

/** What is left of a file that cannot be read. */
export type LostFile = {
  /** Monotonic time from which on nobody is in the middle of writing it. */
  readonly dueAtMs: number;
  /** What it last said below its frontmatter; null if nobody has read that since orange was started. */
  readonly body: string | null;
};

export type FileRead = {
  readonly kind: 'file-read';
  readonly taskId: string;
  readonly fields: TaskFields;
  readonly extensions: Extensions;
  readonly context: string | null;
  readonly artifacts: Artifacts;
  readonly isSettled: boolean;
};

/** How a task's pull request is now. */
export type PullRequestSeen = {
  readonly kind: 'pull-request-seen';
  readonly taskId: string;
  readonly askedBy: Actor;
  readonly purpose: 'opened' | 'sync' | 'send-feedback';
  readonly pullRequest: PullRequest;
  /** Whether here is work that the pull request does not have; looked at once it is over. */
  readonly hasNewerWork: boolean;
};

export type AgentEnded = {
  readonly kind: 'agent-ended';
  readonly taskId: string;
  readonly role: Role;
  readonly launchId: string;
  readonly window: string;
  readonly exit: AgentExit;
};

export type AgentStarted = {
  readonly kind: 'agent-started';
  readonly taskId: string;
  readonly role: Role;
  readonly launchId: string;
  readonly window: string;
  readonly workspace: string;
  readonly session: string;
  /** The harness's own conversation id, when it was fixed at the start. */
  readonly harnessSession: string | null;
  /** As the effect has it. */
  readonly asked?: StartAsked;
};

/** The moment of an observation: wall time for the record, monotonic time for intervals. */
export type Moment = {
  readonly nowMs: number;
  /** The same instant as ISO 8601 in UTC. */
  readonly timestamp: string;
  readonly monotonicMs: number;
};
