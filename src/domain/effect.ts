import type { Actor } from './request.js';
import type { Role } from './session.js';
import type { MergeStrategy } from './settings.js';

export const EFFECT_KINDS: readonly Effect['kind'][] = [
  'start-agent',
  'end-window',
  'release-workspace',
  'keep-screen',
  'tell-agent',
  'notify-human',
  'merge-branch',
  'mark-reviewed',
  'finalize',
  'run-checks',
  'rename-branch',
  'delete-branch',
  'open-pull-request',
  'view-pull-request',
  'measure-drift',
];

/** Something to be done outside. Every effect is safe to repeat; its result is an observation. */
export type Effect =
  | StartAgent
  | {
      readonly kind: 'end-window';
      readonly taskId: string;
      readonly session: string;
      readonly window: string;
    }
  | {
      readonly kind: 'release-workspace';
      readonly taskId: string;
      /** The session to end first; a worktree is never cleaned under a living agent. */
      readonly session: string | null;
      readonly workspace: string;
      readonly deleteBranch: boolean;
    }
  | {
      readonly kind: 'keep-screen';
      readonly taskId: string;
      readonly window: string;
      /** Name of the file under transcripts/. */
      readonly transcript: string;
    }
  | {
      readonly kind: 'tell-agent';
      readonly taskId: string;
      readonly session: string;
      readonly window: string;
      readonly message: AgentMessage;
    }
  | { readonly kind: 'notify-human'; readonly taskId: string; readonly cause: string }
  | {
      readonly kind: 'merge-branch';
      readonly taskId: string;
      readonly askedBy: Actor;
      readonly strategy: MergeStrategy;
      readonly push: boolean;
      readonly message: string | null;
      /** Whether the branch may have moved since its work was judged. */
      readonly heads: 'any' | 'as-reviewed';
    }
  /** Find out how good and how dangerous it would be to merge. */
  | { readonly kind: 'finalize'; readonly taskId: string }
  /** Run the checks that a Handoff has to pass. */
  | {
      readonly kind: 'run-checks';
      readonly taskId: string;
      readonly askedBy: Actor;
      /** Digest of the Handoff. */
      readonly handoff: string;
    }
  /** Remember which commit of the branch was judged. */
  | { readonly kind: 'mark-reviewed'; readonly taskId: string }
  /** Has what a task changed compared with what it declared. */
  | { readonly kind: 'measure-drift'; readonly taskId: string }
  | {
      readonly kind: 'rename-branch';
      readonly taskId: string;
      readonly from: string;
      readonly to: string;
    }
  /** Remove the branch of a merged task that has no worktree; with one, its release does. */
  | { readonly kind: 'delete-branch'; readonly taskId: string; readonly branch: string }
  /** Push the branch and have a pull request of it; one that is open is taken as it is. */
  | {
      readonly kind: 'open-pull-request';
      readonly taskId: string;
      readonly askedBy: Actor;
      readonly isDraft: boolean;
      readonly title: string | null;
      readonly body: string | null;
      readonly base: string | null;
    }
  /** Ask GitHub how the task's pull request is. */
  | {
      readonly kind: 'view-pull-request';
      readonly taskId: string;
      readonly askedBy: Actor;
      readonly purpose: 'sync' | 'send-feedback';
    };

export type StartAgent = {
  readonly kind: 'start-agent';
  readonly taskId: string;
  readonly role: Role;
  readonly window: string;
  readonly launchId: string;
  readonly workspace: string;
  readonly session: string;
  /** Whether the worktree must be bound first (and freed again if the start fails). */
  readonly needsBinding: boolean;
  readonly isResuming: boolean;
  /** Whether the task was pending when this was decided, so that it makes the move to `planning`. */
  readonly isOpening?: true;
  /** What to say to the agent besides its usual prompt. */
  readonly message: AgentMessage | null;
  /** Set where it is started anew because somebody asked for that. */
  readonly asked?: StartAsked;
};

export type StartAsked = {
  readonly by: Actor;
  /** The launch of the living agent that is ended for it. */
  readonly replaced?: string;
};

/** What orange has to say to an agent; the words are made by the harness layer. */
export type AgentMessage =
  | { readonly kind: 'review-failed'; readonly round: number }
  | { readonly kind: 'changes-requested'; readonly text: string }
  | {
      readonly kind: 'checks-failed';
      readonly command: string;
      readonly tail: string;
      readonly log: string;
    }
  | {
      readonly kind: 'merge-conflict';
      readonly base: string;
      /** What to merge into the branch. */
      readonly onto: string;
      readonly files: readonly string[];
    }
  | {
      readonly kind: 'answered';
      readonly status: string;
      readonly questions: readonly number[];
      /** The answer, unless it is too long to be pasted; it stands in TASK.md in any case. */
      readonly text: string | null;
    }
  /** What was said on GitHub, quoted. */
  | { readonly kind: 'pr-feedback'; readonly url: string; readonly text: string }
  | { readonly kind: 'plan-approved' | 'plan-rejected'; readonly text: string }
  | { readonly kind: 'go-on'; readonly status: string }
  /** How do you get on? Sent to an agent that has been silent. */
  | { readonly kind: 'poll'; readonly silentMinutes: number }
  /** Others change the same files; where reservations block, the Plan waits for them. */
  | {
      readonly kind: 'overlap';
      readonly mustWait: boolean;
      readonly others: readonly { readonly holder: string; readonly paths: readonly string[] }[];
    }
  /** What it wrote into TASK.md and orange has put back. */
  | {
      readonly kind: 'put-back';
      readonly context: {
        /** The transcript with what it wrote; null when it only took words out. */
        readonly transcript: string | null;
        /** Headings in it that look as if they were to begin a section. */
        readonly headings: readonly string[];
      } | null;
      /** Why the status it asked for is refused, and what would make it possible. */
      readonly status: string | null;
    }
  | { readonly kind: 'text'; readonly text: string };
