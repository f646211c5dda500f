import type { Diagnostic } from './diagnostic.js';
import type { MoveRefusal } from './move-refusal.js';
import type { RestoreRefused } from './salvage.js';
import type { GithubFailure } from './github-failure.js';
import type { MergeFailure } from './merge-failure.js';
import type { SetupFailed } from './setup-failed.js';
import type { Reserved } from './lock.js';
import type { Status } from './status.js';

export type Named =
  | 'task'
  | 'project'
  | 'workspace'
  | 'harness'
  | 'window'
  | 'salvage'
  | 'reservation'
  | 'file'
  | 'file or task'
  | 'pull request';

/** Everything that can go wrong in normal life: facts only, the words are made by describeFailure. */
export type Failure =
  | {
      readonly kind: 'not-found';
      readonly what: Named;
      readonly name: string;
      readonly near?: readonly string[];
      readonly remedy?: string;
    }
  | {
      readonly kind: 'ambiguous';
      readonly what: Named;
      readonly name: string;
      readonly candidates: readonly string[];
    }
  | {
      readonly kind: 'invalid-argument';
      readonly argument: string;
      readonly value: string;
      readonly rule: string;
      readonly remedy?: string;
    }
  | {
      readonly kind: 'move-refused';
      readonly from: Status;
      readonly to: Status;
      readonly because: MoveRefusal;
      /** project/branch, where it is known. */
      readonly task?: string;
    }
  | Reserved
  | { readonly kind: 'file-rejected'; readonly diagnostics: readonly Diagnostic[] }
  | {
      readonly kind: 'wrong-status';
      readonly action: string;
      readonly status: Status;
      readonly allowed: readonly Status[];
      readonly task?: string;
    }
  | { readonly kind: 'not-for-agents'; readonly action: string }
  | { readonly kind: 'asked-too-often'; readonly perHour: number }
  | {
      readonly kind: 'no-gate-waiting';
      readonly action: 'approve' | 'reject';
      /** The gate that was named, and the one that waits. */
      readonly wanted: string | null;
      readonly waiting: string | null;
      readonly status: Status;
      readonly task?: string;
    }
  /** A person decided about a gate, and now another one waits. */
  | {
      readonly kind: 'moved-on';
      readonly action: 'approve' | 'reject';
      readonly seen: Status;
      readonly status: Status;
      readonly task?: string;
    }
  | {
      readonly kind: 'no-such-question';
      readonly question: number;
      readonly known: readonly number[];
      readonly task?: string;
    }
  | {
      readonly kind: 'project-exists';
      readonly name: string;
      readonly path: string;
      /** What the two have in common, where it is known. */
      readonly same?: 'repository' | 'name';
    }
  | { readonly kind: 'project-in-use'; readonly name: string; readonly tasks: number }
  | {
      readonly kind: 'not-a-repository';
      readonly path: string;
      /** What there is instead of a directory, where it was looked for. */
      readonly found?: 'nothing' | 'file';
      readonly remedy?: string;
    }
  | { readonly kind: 'repository-without-commits'; readonly path: string }
  | { readonly kind: 'branch-invalid'; readonly branch: string; readonly rule: string }
  | {
      readonly kind: 'branch-in-use';
      readonly branch: string;
      readonly where: string;
      /** The task that has it, as project/branch. */
      readonly task?: string;
    }
  | { readonly kind: 'branch-conflict'; readonly branch: string; readonly with: string }
  | {
      readonly kind: 'branch-missing';
      readonly branch: string;
      /** What its work became, where the branch went after a merge: a commit, or a ref to it. */
      readonly mergedAs?: string;
    }
  | RestoreRefused
  | {
      readonly kind: 'worktree-unusable';
      readonly workspace: string;
      readonly reason: string;
      /** Whether all that it lacks is its `.git`, which git has on record. */
      readonly isRecoverable?: true;
    }
  | {
      readonly kind: 'worktree-occupied';
      readonly worktree: string;
      readonly pid: number;
      readonly command: string;
    }
  | SetupFailed
  | { readonly kind: 'pool-exhausted'; readonly project: string; readonly size: number }
  | {
      readonly kind: 'harness-unknown';
      readonly harness: string;
      readonly known: readonly string[];
      /** Why config.yaml, which may name it, is not in force. */
      readonly rejected?: Pick<Diagnostic, 'file' | 'line' | 'message' | 'fix'>;
    }
  | { readonly kind: 'harness-not-installed'; readonly harness: string; readonly program: string }
  | { readonly kind: 'no-harness-installed'; readonly tried: readonly string[] }
  | {
      readonly kind: 'agent-not-running';
      readonly taskId: string;
      readonly window: string;
      readonly task?: string;
      readonly status?: Status;
    }
  | { readonly kind: 'agent-busy'; readonly taskId: string; readonly doing: string }
  | { readonly kind: 'agent-did-not-start'; readonly window: string; readonly reason: string }
  | {
      readonly kind: 'agent-would-not-end';
      readonly taskId: string;
      readonly pids: readonly number[];
    }
  /** Nobody listens at the agents' terminals, or no longer where everybody looks for them. */
  | { readonly kind: 'terminals-unreachable'; readonly reason: string }
  | { readonly kind: 'message-not-delivered'; readonly window: string; readonly reason: string }
  | {
      readonly kind: 'command-failed';
      readonly program: string;
      readonly action: string;
      readonly exitCode: number | null;
      readonly output: string;
    }
  | {
      readonly kind: 'command-timed-out';
      readonly program: string;
      readonly action: string;
      readonly timeoutMs: number;
    }
  | { readonly kind: 'program-missing'; readonly program: string }
  | {
      readonly kind: 'program-too-old';
      readonly program: string;
      readonly version: string;
      readonly needs: string;
    }
  | { readonly kind: 'path-too-long'; readonly path: string; readonly max: number }
  | {
      readonly kind: 'io-failed';
      readonly path: string;
      readonly operation: string;
      readonly code: string;
    }
  | MergeFailure
  | GithubFailure
  | { readonly kind: 'base-missing'; readonly base: string }
  | { readonly kind: 'blocked-by-self'; readonly taskId: string; readonly task?: string }
  | { readonly kind: 'blocking-cycle'; readonly path: readonly string[] }
  | {
      readonly kind: 'not-eligible';
      readonly taskId: string;
      readonly reasons: readonly string[];
      readonly task?: string;
      /** The first reason that no --force lifts, by its code, and the command that does. */
      readonly firm?: { readonly code: string; readonly remedy: string };
    }
  | { readonly kind: 'needs-confirmation'; readonly action: string }
  | { readonly kind: 'not-a-terminal'; readonly action: string; readonly instead?: string }
  | {
      readonly kind: 'waited-too-long';
      readonly what: string;
      readonly timeoutSeconds: number;
      /** The task that was waited for, if it was one. */
      readonly task?: {
        readonly name: string;
        readonly status: Status;
        readonly wanted: readonly Status[];
      };
    }
  | { readonly kind: 'home-locked'; readonly home: string; readonly pid: number }
  | { readonly kind: 'home-unusable'; readonly home: string; readonly reason: string }
  | {
      readonly kind: 'home-too-new';
      readonly home: string;
      readonly format: number;
      readonly known: number;
      /** The orange that last wrote there. */
      readonly version: string;
    }
  | { readonly kind: 'file-not-ours'; readonly path: string }
  | {
      /** The service is written, and nothing starts it: its manager does not answer. */
      readonly kind: 'service-not-enabled';
      readonly manager: string;
      readonly path: string;
      /** What enables it where the manager answers. */
      readonly command: string;
    }
  | {
      readonly kind: 'daemon-unreachable';
      readonly reason: string;
      /** The living process that has the home and says nothing; absent where there is none. */
      readonly pid?: number;
    }
  | {
      readonly kind: 'protocol-mismatch';
      readonly ours: number;
      readonly theirs: number;
      readonly theirVersion: string;
      /** The daemon that has to go. */
      readonly pid: number;
    }
  | { readonly kind: 'unsupported'; readonly what: string; readonly instead: string }
  | { readonly kind: 'internal'; readonly message: string };

/** A bug in orange. Thrown, never returned; caught only where a process begins. */
export class InternalError extends Error {
  override readonly name = 'InternalError';
}
