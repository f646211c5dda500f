import type { Attention } from './attention.js';
import type { Diagnostic } from './diagnostic.js';
import type { AgentMessage } from './effect.js';
import type { ManualLock, ReservationFacts } from './lock.js';
import type { Finalization } from './finalization.js';
import type { LostFile } from './observation.js';
import type { BoundRow } from './pool.js';
import type { Project } from './project.js';
import type { Artifacts } from './section.js';
import type { AgentExit } from './session.js';
import type { SetAside } from './set-aside.js';
import type { Settings } from './settings.js';
import type { Extensions, TaskFields } from './task.js';

/** An agent that ran, or was to run, and does not any more. */
export type EndedAgent = {
  readonly kind: 'ended';
  readonly launchId: string;
  readonly window: string;
  readonly exit: AgentExit;
  /** Whether the history knows of this end: by an event of its own, or by the move it led to. */
  readonly isNoted: boolean;
  /** Why it never ran, when it was the start that failed. */
  readonly startFailure?: string;
};

/** One agent of a task (its worker, or its reviewer) as orange knows it. */
export type AgentState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'starting'; readonly launchId: string; readonly window: string }
  | { readonly kind: 'live'; readonly launchId: string; readonly window: string }
  | EndedAgent;

/** The task's file as it was last read, where it says something else than the record. */
export type Claims = {
  readonly fields: TaskFields;
  readonly extensions: Extensions;
  readonly context: string | null;
};

/** What the file of a task said when orange had written it. */
export type OwnWrite = {
  readonly fields: TaskFields;
  readonly extensions: Extensions;
  /** That of the record; in the file may be one that somebody had asked for. */
  readonly status: TaskFields['status'];
};

/** Work on a task that is under way outside the engine and must not be started twice. */
export type Activity =
  | 'starting'
  | 'merging'
  | 'releasing'
  | 'renaming'
  | 'finalizing'
  | 'checking'
  | 'publishing';

export type Trouble = {
  readonly reason: string;
  readonly failures: number;
  /** Monotonic time of the next try. */
  readonly retryAtMs: number;
  /** When this was first the reason, ISO 8601. */
  readonly since: string;
  /** The worktree that is set aside and stands in the way: without it, nothing has to be waited for. */
  readonly heldBy?: string | null;
};

/** Something the worker could not be told. */
export type Undelivered = {
  readonly message: AgentMessage;
  readonly reason: string;
  /** Since when, ISO 8601. */
  readonly since: string;
  readonly tries: number;
  /** Monotonic time of the next try; null while it is being told, and once it is given up. */
  readonly retryAtMs: number | null;
};

/** An edit that was put back, so that the same one is told and kept only once. */
export type Refused = {
  readonly cause: string;
  /** The launch of the agent that was told; null where none lived. */
  readonly launch: string | null;
  /** Where its words are kept, if it had any. */
  readonly transcript: string | null;
};

/** How the gates of a task stand, as people have decided them. */
export type GateFacts = {
  /** Whether a person let it start; it does so once a worktree is free. */
  readonly isStartApproved: boolean;
  /** Digest of a Plan that a person rejected; the same text does not count again. */
  readonly rejectedPlan: string | null;
  /** Digest of a Plan that a person approved while something else held it up. */
  readonly approvedPlan: string | null;
  /** Since when a Plan waits for a person, ISO 8601. */
  readonly planWaitsSince: string | null;
};

export const NO_GATES: GateFacts = {
  isStartApproved: false,
  rejectedPlan: null,
  approvedPlan: null,
  planWaitsSince: null,
};

/** What was said on a task's pull request, as far as its worker has to do with it. */
export type FeedbackFacts = {
  /** Keys of remarks that the worker was told of, or that a person put away. */
  readonly settled: readonly string[];
  /** Keys of remarks that wait for a person to pass them on. */
  readonly waiting: readonly string[];
  /** Since when they wait, ISO 8601. */
  readonly since: string | null;
};

export const NO_FEEDBACK: FeedbackFacts = { settled: [], waiting: [], since: null };

/** Everything known of one task. `fields` and `extensions` are what the engine last committed. */
export type TaskState = {
  readonly fields: TaskFields;
  readonly extensions: Extensions;
  readonly context: string | null;
  readonly artifacts: Artifacts;
  /** Whether the file has been quiet for `settle_ms`. */
  readonly isSettled: boolean;
  readonly claims: Claims | null;
  /** Whether the fields were pieced together from the history because the file could not be read. */
  readonly isProvisional: boolean;
  /** Why the file cannot be read now; a task with problems is moved by nothing. */
  readonly problems: readonly Diagnostic[];
  /** Since when the file cannot be read; absent while it can, and before it was looked at. */
  readonly unreadableSince?: string;
  /** What is left of a file that says nothing, or is gone; absent while it is there. */
  readonly lost?: LostFile;
  readonly worker: AgentState;
  readonly reviewer: AgentState;
  /** Digest of the Handoff when the task entered `working`; the same text is not fresh. */
  readonly handoffStamp: string | null;
  /** The round in which a reviewer last started; a verdict counts only in that round. */
  readonly reviewStartedRound: number;
  /** Where a task in `clarification` or `stuck` came from. */
  readonly cameFrom: TaskFields['status'] | null;
  readonly statusSince: string;
  /** Why the task is stuck, in words; null in any other status. */
  readonly stuckBecause: string | null;
  /** The transcript with words that could not go into the file; null once somebody has looked at it. */
  readonly keptEdit: string | null;
  /** Since when it waits for that, ISO 8601. */
  readonly keptEditSince: string | null;
  /** What was last seen of how the agent gets on; it counts for the launch it names only. */
  readonly attention: Attention | null;
  /** When somebody last reported progress, ISO 8601. */
  readonly reportedAt: string | null;
  /** Monotonic time at which the agent is due to be started again; null when it is not. */
  readonly respawnAtMs: number | null;
  /** Whether `respawnAtMs` is its turn among all tasks that are to be started again. */
  readonly awaitsTurn: boolean;
  /** When its agents were started again lately, in monotonic time. */
  readonly restarts: readonly number[];
  readonly gates: GateFacts;
  readonly feedback: FeedbackFacts;
  readonly reservation: ReservationFacts;
  readonly undelivered: Undelivered | null;
  /** What orange wrote lately, from the oldest to the newest; absent where nothing is known of it. */
  readonly ownWrites?: readonly OwnWrite[];
  /** The last edits of its file that were put back. */
  readonly refused?: readonly Refused[];
  readonly startTrouble: Trouble | null;
  readonly mergeTrouble: string | null;
  /** What was last found out about merging it, in this status. */
  readonly finalized: Finalization | null;
  /** Digest of the Handoff whose checks passed. */
  readonly checkedHandoff: string | null;
  /** How often checks have failed in this stretch of work. */
  readonly failedChecks: number;
  /** Answers that its worker has not been told yet, because other questions are still open. */
  readonly untoldAnswers?: readonly GivenAnswer[];
  readonly activity: Activity | null;
  /** The worktree promised to a start that is under way. */
  readonly reservedWorkspace: string | null;
};

/** What a person said to questions, by their numbers; null where it is only in TASK.md. */
export type GivenAnswer = { readonly questions: readonly number[]; readonly text: string | null };

/** The world the engine decides over. Held by the daemon's loop, changed nowhere else. */
export type World = {
  readonly tasks: ReadonlyMap<string, TaskState>;
  readonly projects: ReadonlyMap<string, Project>;
  /** Settings with the project's own orange.yaml folded in; `''` holds the user's alone. */
  readonly settings: ReadonlyMap<string, Settings>;
  /** Why the user's settings are not those that are written in config.yaml now, if they are not. */
  readonly rejectedSettings?: Diagnostic | null;
  /** Names of harnesses whose program is on PATH. */
  readonly installedHarnesses: ReadonlySet<string>;
  /** What is being done for a task that is just being started, where that takes long. */
  readonly steps?: ReadonlyMap<string, string>;
  /** Worktrees that failed verification and are handed to nobody. */
  readonly quarantined: ReadonlyMap<string, SetAside>;
  /** Worktrees of tasks that are there but cannot be read, as .pool.json has them. */
  readonly withheld?: ReadonlyMap<string, BoundRow>;
  /** What somebody reserved by hand, by its id. */
  readonly locks: ReadonlyMap<string, ManualLock>;
};

export const ABSENT: AgentState = { kind: 'absent' };
