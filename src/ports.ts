import type { BranchDiff, DiffRequest } from './domain/branch-diff.js';
import type { AgentExit } from './domain/session.js';
import type { JsonValue } from './domain/json.js';
import type { ChangedPathsRequest, Examination, MergeRequest } from './domain/merge-request.js';
import type { Notice } from './domain/notice.js';
import type { PublishRequest, PullRequest } from './domain/pull-request.js';
import type { Settings } from './domain/settings.js';
import type { Result } from './domain/result.js';
import type { SalvageStore } from './domain/salvage-store.js';
import type { TerminalSource } from './domain/source-health.js';
import type { WorktreeRecords } from './domain/worktree-records.js';

/** Identity of a file's content as the kernel sees it; equal stamps mean an unchanged file. */
export type FileStamp = {
  readonly mtimeMs: number;
  readonly size: number;
  readonly inode: number;
};

export type ReadFile = { readonly text: string; readonly stamp: FileStamp };

/** The disk. Synchronous on purpose: the daemon has one writer and a write must not be interleaved. */
export interface Files {
  /**
   * Reads a regular file as UTF-8 without following a final link; anything else (link, pipe,
   * device, directory, too large, not UTF-8) is a failure. `lossy` replaces bytes that are not UTF-8.
   */
  readText(path: string, maxBytes: number, decoding?: 'strict' | 'lossy'): Result<ReadFile>;
  /** The stamp of a regular file, `link` with its target for a symbolic link, or null when absent. */
  stat(path: string): Result<FileState>;
  /** Replaces a file durably: temporary file, fsync, rename, directory fsync; mode 0600. */
  replace(path: string, text: string): Result<FileStamp>;
  /**
   * Replaces a file only if it still is what was read (same stamp). What was replaced keeps a name
   * that begins with `keepAs`, for whoever still writes into it.
   */
  replaceIfUnchanged(
    path: string,
    expected: FileStamp,
    text: string,
    keepAs: string,
  ): Result<Replacement>;
  /** Cuts a torn last line, appends, and syncs. `repaired` is the text cut off, if any. */
  appendLines(path: string, lines: readonly string[]): Result<{ readonly repaired: string | null }>;
  makeDirectory(path: string): Result<void>;
  list(path: string): Result<readonly string[]>;
  /** Makes `path` a symbolic link to `target`, replacing what is there atomically. */
  link(path: string, target: string): Result<void>;
  /** Like `link`, but only in place of a file that still is what was read, which keeps a name. */
  linkIfUnchanged(
    path: string,
    expected: FileStamp,
    target: string,
    keepAs: string,
  ): Result<Replacement>;
  remove(path: string): Result<void>;
  removeTree(path: string): Result<void>;
}

export type FileState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly stamp: FileStamp }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'directory' }
  | { readonly kind: 'special' };

export type Replacement =
  | {
      readonly kind: 'replaced';
      readonly stamp: FileStamp;
      /** Names of what was replaced; none where the file system has no hard links. */
      readonly kept: readonly string[];
    }
  | { readonly kind: 'changed-meanwhile' };

export interface Watching {
  /** Calls back on any change in a directory; a hint, never proof. */
  watch(directory: string, listener: WatchListener): Result<Watch>;
}
export type WatchListener = {
  /** With the name of the entry where it is known; the directory itself goes by its own name. */
  onChange(name: string | null): void;
  /** The watch has broken, for this errno, and is over. */
  onBroken(code: string): void;
};
export interface Watch {
  close(): void;
}

export interface Clock {
  /** Wall time, for timestamps. */
  nowMs(): number;
  /** Monotonic time, for intervals. */
  monotonicMs(): number;
}

export interface Log {
  write(record: { readonly event: string; readonly [fact: string]: JsonValue | undefined }): void;
}

/** Where one agent runs: a window of a task's session. */
export type AgentPlace = { readonly session: string; readonly window: string };

export type Launch = AgentPlace & {
  readonly taskId: string;
  /** Distinguishes this start from every other, in exit records and the agent's environment. */
  readonly launchId: string;
  readonly cwd: string;
  readonly argv: readonly string[];
  /** The complete environment of the agent. */
  readonly env: Readonly<Record<string, string>>;
};

/** An agent that the launcher has started: its pid file says so. */
export type LaunchedAgent = AgentPlace & {
  readonly taskId: string;
  readonly launchId: string;
  readonly pid: number;
};

/** What the files under run/<task>/ say about one launch. */
export type LaunchRecord = LaunchedAgent & {
  readonly isAlive: boolean;
  /** Null while it lives in its terminal; a killed launcher leaves `status: null, signal: null`. */
  readonly exit: AgentExit | null;
  /** Whether a moment may tell more: a server that dies takes its agents along one by one. */
  readonly isInDoubt: boolean;
};

/** The agents in their terminals (tmux). Every target is exact, every call has a time limit. */
export interface Sessions {
  /** Starts an agent in its window, making the session if there is none; resolves once it runs. */
  launch(launch: Launch): Promise<Result<LaunchedAgent>>;
  /** Ends one window and every process of its launch, verified. Absent is fine. */
  endWindow(taskId: string, place: AgentPlace): Promise<Result<void>>;
  /**
   * Ends a task's session and every process of its launches, verified; in its worktree also those
   * that only their terminal session gives away. Absent is fine.
   */
  endSession(taskId: string, session: string, worktree?: string): Promise<Result<void>>;
  /** Gives a task's session this name, whatever somebody has called it meanwhile. */
  renameSession(taskId: string, session: string): Promise<Result<void>>;
  /** Pastes a text and submits it, then checks that the screen took it. */
  tell(place: AgentPlace, text: string): Promise<Result<void>>;
  /** The visible screen and some scrollback, cleaned of control characters. */
  capture(place: AgentPlace, lines: number): Promise<Result<readonly string[]>>;
  /** When each agent's window last showed something new: launch id to whole seconds since 1970. One call for all. */
  lastOutput(): Promise<Result<ReadonlyMap<string, number>>>;
  /** Rings and shows a line to people who are attached to a session. Never fails. */
  alertClients(words: string): Promise<void>;
  /** Sessions on orange's own server with the task they are tagged with. */
  list(): Promise<Result<readonly LiveSession[]>>;
}
export type LiveSession = {
  readonly session: string;
  readonly taskId: string | null;
  readonly windows: readonly string[];
  /** The launches that its windows were made for. */
  readonly launches: readonly { readonly window: string; readonly launchId: string }[];
};

export type LiveWindow = {
  readonly session: string;
  readonly sessionId: string;
  readonly window: string;
  readonly windowId: string;
  readonly taskId: string | null;
  readonly launchId: string | null;
};

/** What the terminals tell of their own accord: hints, never proof. */
export interface TerminalEvents {
  follow(listener: TerminalListener): void;
  state(): TerminalSource;
}
export type TerminalListener = {
  /** A window is gone; null when nobody knows whose it was. */
  onWindowClosed(taskId: string | null): void;
  /** A session or a window has another name now. */
  onRenamed(): void;
  /** The connection came up, went down, or could not be made. */
  onState(state: TerminalSource): void;
};

/** What is known of launches without asking tmux: launch files, exit records and the process table. */
export interface LaunchRecords {
  read(taskId: string, window: string): LaunchRecord | null;
  list(taskId: string): readonly LaunchRecord[];
  /** The last screen of a launch that has ended, cleaned; waits a moment for it. Null: there is none. */
  screen(taskId: string, window: string): Promise<readonly string[] | null>;
  /** Whether processes of a launch run beside the agent itself. */
  hasCompany(launchId: string): Promise<boolean>;
  forget(taskId: string): void;
}

export type RepositoryFacts = {
  /** Top of the main checkout, or the bare repository's own directory. */
  readonly root: string;
  readonly isBare: boolean;
  readonly defaultBranch: string;
  readonly hasCommits: boolean;
  readonly remote: string | null;
};

export type BindRequest = {
  readonly repository: string;
  readonly worktree: string;
  readonly branch: string;
  readonly defaultBranch: string;
  /** Branch to start from, when not the default branch. */
  readonly base: string | null;
  readonly taskId: string;
};

export type ReleaseRequest = {
  readonly repository: string;
  readonly worktree: string;
  readonly defaultBranch: string;
  readonly taskId: string;
  /** Whether files that git ignores stay for the next task, as they do unless told. */
  readonly keepIgnored?: boolean;
};

export type PrepareRequest = {
  readonly repository: string;
  readonly worktree: string;
  readonly pool: Pick<Settings['pool'], 'setup' | 'setupFiles' | 'setupTimeoutMinutes' | 'copy'>;
  /** The complete environment of the set-up commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Where their output goes. */
  readonly logFile: string;
  /** Told of each step that may take long. */
  onStep(step: string): void;
  /** Ends the set-up, with all that it started. */
  readonly signal?: AbortSignal;
  /** Given for a worktree that no task has: whether that still is so when its turn comes. */
  isStillIdle?(): boolean;
};

export type WorktreeFacts = {
  /** The branch it is on, or is rebasing. */
  readonly branch: string | null;
  /** Why it could not be handed out, e.g. because it is not clean; null when it could. */
  readonly unrest: string | null;
};

export type WorktreeLock = {
  readonly path: string;
  /** Whether it is certain that no git works there any more. */
  readonly isStale: boolean;
};

/** Git. One queue per repository for refs and metadata; never hooks, prompts or fsmonitor. */
export interface Repositories extends WorktreeRecords {
  inspect(path: string): Promise<Result<RepositoryFacts>>;
  checkBranchName(branch: string): Promise<Result<void>>;
  /** Where a branch is checked out (user's clone or another worktree), or null. */
  branchCheckedOutAt(repository: string, branch: string): Promise<Result<string | null>>;
  /** Whether a checkout has changes that are in no commit. A bare repository has none. */
  hasUncommittedWork(checkout: string): Promise<Result<boolean>>;
  /** Makes the worktree if it is not there (detached, on the base). Safe to repeat. */
  ensureWorktree(request: {
    readonly repository: string;
    readonly worktree: string;
    readonly defaultBranch: string;
  }): Promise<Result<void>>;
  /** Fetches, resets to the base, and switches to the branch (new or existing). Safe to repeat. */
  bind(request: BindRequest): Promise<Result<{ readonly head: string }>>;
  /** Copies the wanted files into a clean worktree and sets it up, as far as that is due. */
  prepare(request: PrepareRequest): Promise<Result<void>>;
  /** Salvages what would be lost, then detaches, resets, cleans and verifies. Safe to repeat. */
  release(request: ReleaseRequest): Promise<Result<{ readonly salvageRef: string | null }>>;
  renameBranch(request: {
    readonly repository: string;
    readonly from: string;
    readonly to: string;
  }): Promise<Result<void>>;
  /** Notes the commit at which a task's branch was judged. Safe to repeat. */
  markReviewed(request: {
    readonly repository: string;
    readonly branch: string;
    readonly taskId: string;
  }): Promise<Result<void>>;
  /** Forgets that commit; none is fine. */
  dropReviewed(repository: string, taskId: string): Promise<Result<void>>;
  /** Removes the checkout of a trial that was cut off. Absent is fine. */
  clearTrial(repository: string, directory: string): Promise<Result<void>>;
  /**
   * Builds the merge, has it tried and moves the base; one merge at a time per repository, tried
   * again if the base moved meanwhile. A repeat after success gives the same commit.
   */
  merge(request: MergeRequest): Promise<Result<{ readonly commit: string }>>;
  /** Builds the merge and has it tried, if there is no conflict, and moves nothing. */
  examine(request: MergeRequest): Promise<Result<Examination>>;
  /** Removes a branch whose work is merged or salvaged; its tip must be what the caller saw. */
  deleteMergedBranch(request: {
    readonly repository: string;
    readonly branch: string;
    readonly taskId: string;
  }): Promise<Result<void>>;
  /** What a branch changed since it left its base, and what lies uncommitted in its worktree. */
  diff(request: DiffRequest): Promise<Result<BranchDiff>>;
  /** The files that a branch changed since it left its base, with what is not committed in its worktree. */
  changedPaths(request: ChangedPathsRequest): Promise<Result<readonly string[]>>;
  listWorktrees(
    repository: string,
  ): Promise<Result<readonly { readonly path: string; readonly branch: string | null }[]>>;
  /** What a worktree is like now, its files too if asked; null when there is nothing. Changes nothing. */
  inspectWorktree(request: {
    readonly repository: string;
    readonly worktree: string;
    readonly depth: 'branch' | 'content';
  }): Promise<Result<WorktreeFacts | null>>;
  /** Locks of git in a worktree that are older than a command takes. Starts no process. */
  findLocks(worktree: string): readonly WorktreeLock[];
  /** Removes locks that a killed git left; those of a living one are waited for, then refused. */
  clearLocks(repository: string, worktree: string): Promise<Result<void>>;
  readonly salvage: SalvageStore;
  /**
   * Makes a worktree anew that a release could not clean. What it holds is salvaged first; ignored
   * files go. Refuses while somebody works in it.
   */
  rebuild(request: ReleaseRequest): Promise<Result<{ readonly salvageRef: string | null }>>;
  /** Drops a worktree that is clean and detached; refuses otherwise. */
  removeWorktree(repository: string, worktree: string): Promise<Result<void>>;
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
