import { isTerminal, type Status } from './status.js';

export const SESSION_STATES = ['active', 'crashed', 'inactive'] as const;
/** Whether the agents of a task are alive; independent of its status. */
export type SessionState = (typeof SESSION_STATES)[number];

export const SESSION_ICONS: Readonly<Record<SessionState, string>> = {
  active: '●',
  crashed: '✗',
  inactive: '○',
};

export type Role = 'worker' | 'reviewer';

/** Whose work this status cannot do without; null where a person or nobody is awaited. */
export function neededRole(status: Status): Role | null {
  switch (status) {
    case 'planning':
    case 'working':
      return 'worker';
    case 'agent-review':
      return 'reviewer';
    case 'pending':
    case 'clarification':
    case 'reviewing':
    case 'stuck':
    case 'done':
    case 'cancelled':
      return null;
  }
}

export const WORKER_WINDOW = 'worker';

export function reviewWindow(round: number): string {
  return `review-${round}`;
}

/**
 * What took agents down from outside: the terminal server died, or the whole machine; or orange ended
 * one that had lost its window.
 */
export type Interruption = 'server' | 'reboot' | 'window';

const INTERRUPTIONS: Readonly<Record<Interruption, string>> = {
  server: 'the tmux server died',
  reboot: 'the machine was restarted',
  window: 'its window was gone, so orange ended it',
};

/** How an agent's process ended, as far as anyone could see. */
export type AgentExit = {
  /** Exit status, or null when nobody recorded one (the launcher itself was killed). */
  readonly status: number | null;
  readonly signal: string | null;
  /** Whether its last screen is kept, by now or in a moment. */
  readonly hasScreen: boolean;
  /** How long it ran, where that is known. */
  readonly ranMs?: number;
  /** When it ended, where that is known. */
  readonly endedAt?: string;
  /** Set when it was not the agent's own doing. */
  readonly interruptedBy?: Interruption;
};

/** An end in a few words: what took the agent down, rather than how that looked to it. */
export function describeExit({ status, signal, interruptedBy }: AgentExit): string {
  if (interruptedBy !== undefined) return INTERRUPTIONS[interruptedBy];
  return signal ?? (status === null ? 'killed' : `exit status ${status}`);
}

/** active ⇔ a session is recorded and alive; crashed ⇔ recorded, dead, task not over; else inactive. */
export function sessionState(input: {
  readonly tmuxSession: string | null;
  readonly isAlive: boolean;
  readonly status: Status;
}): SessionState {
  if (input.tmuxSession === null) return 'inactive';
  if (input.isAlive) return 'active';
  return isTerminal(input.status) ? 'inactive' : 'crashed';
}
