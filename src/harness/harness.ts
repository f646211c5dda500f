import type { Result } from '../domain/result.js';
import type { AgentAssignment } from './agent-assignment.js';

/** One agent program: how it is started for a task, and what it can do. */
export type Harness = {
  readonly name: string;
  /** The program that must be on PATH: argv[0]. */
  readonly program: string;
  /** Whether a conversation can be taken up again by its id. */
  readonly canResume: boolean;
  /** Whether the first start takes a conversation id (a UUID) that the caller has chosen. */
  readonly takesSessionId: boolean;
  /** Changes to the agent's environment: name to value, null unsets. */
  readonly env: Readonly<Record<string, string | null>>;
  /** What makes it say when it waits, beside the options in its argv. */
  readonly hooks?: (directory: string) => HarnessHooks;
  /** What its hooks must know of this very start, as variables. */
  readonly hookFacts?: (assignment: AgentAssignment) => Readonly<Record<string, string>>;
  /** The log that it keeps of a worker's conversation, where that can be told from outside. */
  readonly transcript?: (conversation: Conversation) => string | null;
  /**
   * The argv for an assignment. A reviewer always begins a new conversation; a worker takes its old
   * one up when it is resuming, the id is known and the harness can.
   */
  command(assignment: AgentAssignment): Result<readonly string[]>;
};

/** Files that orange keeps for an agent program's hooks, and variables that point to them. */
export type HarnessHooks = {
  readonly files: Readonly<Record<string, string>>;
  /** Set only where the person has not set them. */
  readonly env: Readonly<Record<string, string>>;
};

/** Where an agent program keeps a conversation: its environment, its directory, the conversation's id. */
export type Conversation = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly session: string;
};

/** Whether this start goes on with an earlier conversation, given a harness that can. */
export function continuesConversation(
  assignment: AgentAssignment,
): assignment is AgentAssignment & { readonly harnessSession: string } {
  return (
    assignment.role === 'worker' && assignment.isResuming && assignment.harnessSession !== null
  );
}

/** The id a new conversation shall have, or null to let the program choose. */
export function chosenSessionId(assignment: AgentAssignment): string | null {
  return assignment.role === 'worker' && !assignment.isResuming ? assignment.harnessSession : null;
}
