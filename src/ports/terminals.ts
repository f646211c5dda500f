import type { AgentExit } from '../domain/session.js';
import type { Result } from '../domain/result.js';
import type { TerminalSource } from '../domain/source-health.js';

/** Where one agent runs: a window of a task's session. */
export type AgentPlace = { readonly session: string; readonly window: string };

/** A launch of which only the place is settled. */
export type AwaitedLaunch = AgentPlace & {
  readonly taskId: string;
  /** Distinguishes this start from every other, in exit records and the agent's environment. */
  readonly launchId: string;
};

export type Launch = AwaitedLaunch & {
  readonly cwd: string;
  readonly argv: readonly string[];
  /** The complete environment of the agent. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether nothing was ever launched for the task. */
  readonly isFirst?: boolean;
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
  /** Has the terminal of a task's first launch ready by the time that is launched, or ended. Never fails. */
  expect(launch: AwaitedLaunch): void;
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
  /** The file by which everybody else reaches the server. */
  readonly socket: string;
  follow(listener: TerminalListener): void;
  state(): TerminalSource;
  /** Has a server that lives make this file anew when it is gone; else it costs one look at it. */
  keepSocket(): Promise<void>;
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
  /** Null: there is none. A failure says nothing about the agent, only that nobody can look. */
  read(taskId: string, window: string): Result<LaunchRecord | null>;
  list(taskId: string): Result<readonly LaunchRecord[]>;
  /** How a launch ended, by its exit record alone, for one that lost its own; null if there is none. */
  exitOf(taskId: string, window: string, launchId: string): AgentExit | null;
  /** The last screen of a launch that has ended, cleaned; waits a moment for it. Null: there is none. */
  screen(taskId: string, window: string): Promise<readonly string[] | null>;
  /** Whether processes of a launch run beside the agent itself. */
  hasCompany(launchId: string): Promise<boolean>;
  forget(taskId: string): Result<void>;
}
