import type { Role } from '../domain/session.js';

/** What a harness needs to know to build a command line. */
export type AgentAssignment = {
  readonly role: Role;
  readonly taskId: string;
  readonly taskFile: string;
  readonly branch: string;
  readonly prompt: string;
  readonly promptFile: string;
  /** Where the files of the harness's hooks lie. */
  readonly hookDirectory: string;
  readonly effort: string | null;
  readonly model: string | null;
  readonly harnessSession: string | null;
  readonly isResuming: boolean;
};
