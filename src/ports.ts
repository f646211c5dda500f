import type { JsonValue } from './domain/json.js';
import type { Notice } from './domain/notice.js';
import type { PublishRequest, PullRequest } from './domain/pull-request.js';
import type { Result } from './domain/result.js';

export type * from './ports/files.js';
export type * from './ports/repositories.js';
export type * from './ports/terminals.js';

export interface Clock {
  /** Wall time, for timestamps. */
  nowMs(): number;
  /** Monotonic time, for intervals. */
  monotonicMs(): number;
}

export interface Log {
  write(record: { readonly event: string; readonly [fact: string]: JsonValue | undefined }): void;
}

/** Pull requests on GitHub, through the person's own `gh`. Never a prompt; every call has a time limit. */
export interface PullRequests {
  /** Pushes the branch and opens a pull request, or gives back the one that is open. Safe to repeat. */
  publish(request: PublishRequest): Promise<Result<PullRequest>>;
  view(url: string): Promise<Result<PullRequest>>;
  /** Those of one repository's pull requests that can be found, in as few calls as there can be. */
  viewAll(urls: readonly string[]): Promise<Result<readonly PullRequest[]>>;
  /** Whether a branch has commits that this one does not lead to; in doubt, it has. */
  hasCommitsBeyond(request: {
    readonly repository: string;
    readonly branch: string;
    readonly commit: string;
  }): Promise<Result<boolean>>;
  /** The text that the repository wants to begin a pull request with, or null. */
  readTemplate(repository: string, base: string): Promise<Result<string | null>>;
}

/** A command line out of the person's own settings. */
export type ProjectCommand = {
  /** Given to /bin/sh exactly as it stands; whatever it has to know is in its environment. */
  readonly line: string;
  readonly directory: string;
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Ends it before its time. */
  readonly signal?: AbortSignal;
  /** Its output is added to this file, the middle of a long one left out. */
  readonly logFile: string;
};
export type ProjectCommandOutcome = {
  /** Null when it was killed: its time was up, or it was stopped. */
  readonly exitCode: number | null;
  readonly durationMs: number;
  /** The end of what it said, cleaned. */
  readonly tail: string;
};

export interface ProjectCommands {
  /** Runs one, and kills whatever it leaves running. Every exit code is an outcome. */
  run(command: ProjectCommand): Promise<Result<ProjectCommandOutcome>>;
}

export interface Notifier {
  /** Tells a person by desktop and command, as the settings say. Never fails. */
  notify(notice: Notice): Promise<void>;
}
