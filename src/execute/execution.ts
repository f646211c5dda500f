import type { Trial } from '../domain/merge-request.js';
import type { Project } from '../domain/project.js';
import type { Result } from '../domain/result.js';
import type { Sections } from '../domain/section.js';
import type { Settings } from '../domain/settings.js';
import type { TaskState } from '../domain/world.js';
import type { Harness } from '../harness/harness.js';
import type {
  Files,
  LaunchRecords,
  Log,
  ProjectCommands,
  PullRequests,
  Repositories,
  Sessions,
} from '../ports.js';

/** Everything an effect may use. The task is looked up when the effect runs, not when it was decided. */
export type Execution = {
  readonly home: string;
  readonly daemonEnv: Readonly<Record<string, string | undefined>>;
  /** Directory with the `orange` command that agents find first on PATH. */
  readonly shimDirectory: string;
  /** Where files for the hooks of agent programs are kept. */
  readonly hookDirectory: string;
  readonly sessions: Sessions;
  readonly launches: LaunchRecords;
  readonly repositories: Repositories;
  /** Set-up and checks, as trusted settings name them. */
  readonly commands: ProjectCommands;
  readonly pullRequests: PullRequests;
  readonly files: Files;
  /** Has a person told that a task needs them. */
  postNotice(taskId: string, cause: string): void;
  readonly log: Log;
  findTask(taskId: string): TaskState | null;
  findProject(name: string): Project | null;
  settingsFor(project: string): Settings;
  findHarness(project: string, name: string): Result<Harness>;
  poolOf(project: string): Settings['pool'];
  /** Tells whoever waits for a task what is being done for it; null when that is over. */
  tellStep(taskId: string, step: string | null): void;
  /** Gives the work a signal that ends it when the task is not wanted any more. */
  whileWanted<T>(taskId: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  workspacePath(name: string): string;
  /** Where the output of a worktree's set-up goes. */
  setupLog(workspace: string): string;
  taskFile(project: string, taskId: string): string;
  /** The text of a task's body, by section; empty when its file cannot be read. */
  sectionsOf(project: string, taskId: string): Sections;
  launchDirectory(taskId: string): string;
  transcriptFile(project: string, taskId: string, name: string): string;
  /** Where the output of a task's checks is kept. */
  testResultFile(project: string, taskId: string, name: string): string;
  artifactFile(project: string, taskId: string, name: string): string;
  /** Where a task's work is tried, in a checkout that nobody else uses. */
  trialPlace(taskId: string): Pick<Trial, 'directory' | 'onLeft'>;
  newConversationId(): string;
};
