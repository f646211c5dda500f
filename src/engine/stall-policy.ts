import { RUNGS, type Attention, type Rung } from '../domain/attention.js';
import { neededRole } from '../domain/session.js';
import type { AgentState, TaskState } from '../domain/world.js';
import { hasCountingPlan } from './gates.js';

/** How long an agent has given no sign of life, in time that orange itself was awake. */
export type Silence = {
  readonly silentMs: number;
  /** Whether it has been given more time, because something of its own still ran. */
  readonly isExtended: boolean;
};

export const NO_SILENCE: Silence = { silentMs: 0, isExtended: false };

type LiveAgent = Extract<AgentState, { kind: 'live' }>;

/**
 * The agent that a task's status waits for, while it lives. Statuses that wait for a person have
 * none, nor has a plan that waits for approval.
 */
export function watchedAgent(task: TaskState): LiveAgent | null {
  if (task.activity !== null) return null;
  const agent = neededAgent(task);
  return agent?.kind === 'live' ? agent : null;
}

function neededAgent(task: TaskState): AgentState | null {
  const { status } = task.fields;
  if (status === 'planning' && hasCountingPlan(task) && task.isSettled) return null;
  const role = neededRole(status);
  return role === null ? null : task[role];
}

/** What is to be said of the agent that is watched now; what was said of an earlier one is over. */
export function currentAttention(task: TaskState): Attention | null {
  const agent = watchedAgent(task);
  return agent !== null && task.attention?.launchId === agent.launchId ? task.attention : null;
}

/**
 * One more look without a sign of life. Looks that come late do not make the agent silent: a daemon
 * that was stopped, or a machine that slept, counts for no more than two intervals.
 */
export function addSilence(
  silence: Silence,
  look: { readonly elapsedMs: number; readonly intervalMs: number },
): Silence {
  const heard = Math.max(0, Math.min(look.elapsedMs, 2 * look.intervalMs));
  return { ...silence, silentMs: silence.silentMs + heard };
}

/** The highest rung that this silence has reached; 0 or a missing figure leaves a rung out. */
export function rungOf(silence: Silence, stallMinutes: readonly number[]): Rung | null {
  const extraMs = silence.isExtended ? minutesToMs(stallMinutes[0] ?? 0) : 0;
  const isReached = (_: Rung, index: number): boolean => {
    const neededMs = minutesToMs(stallMinutes[index] ?? 0);
    return neededMs > 0 && silence.silentMs >= neededMs + extraMs;
  };
  return RUNGS.filter(isReached).at(-1) ?? null;
}

/** The silence of an agent that was already known to be silent when the daemon started. */
export function silenceBefore(
  attention: Attention | null,
  stallMinutes: readonly number[],
): Silence {
  if (attention === null) return NO_SILENCE;
  const minutes = attention.kind === 'stalled' ? stallMinutes[2] : polledMinutes(attention);
  return { silentMs: minutesToMs(minutes ?? 0), isExtended: false };

  function polledMinutes({ wasPolled }: Attention): number | undefined {
    return wasPolled ? stallMinutes[1] : 0;
  }
}

/**
 * How often to look: often enough for the first rung, rarely enough to cost nothing; also where there
 * is none, since whether an agent waits for somebody does not depend on it.
 */
export function lookIntervalMs(stallMinutes: readonly number[]): number {
  const first = Math.min(...stallMinutes.filter((minutes) => minutes > 0));
  return Math.min(SLOWEST_LOOK_MS, Math.max(FASTEST_LOOK_MS, minutesToMs(first) / 10));
}

const SLOWEST_LOOK_MS = 20_000;
const FASTEST_LOOK_MS = 200;

function minutesToMs(minutes: number): number {
  return minutes * 60_000;
}
