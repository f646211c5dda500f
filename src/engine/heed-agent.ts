import { NOTHING, type Decision } from '../domain/decision.js';
import { QUIET_REASON, STALLED_REASON, type Attention } from '../domain/attention.js';
import type { Effect } from '../domain/effect.js';
import type { EventDraft } from '../domain/history-event.js';
import type { Moment, Observation } from '../domain/observation.js';
import type { TaskState } from '../domain/world.js';
import { currentAttention, watchedAgent } from './stall-policy.js';
import { decideUpdate, remember } from './update-task.js';

type Seen<K extends Observation['kind']> = Extract<Observation, { kind: K }>;

/**
 * What follows from an agent's silence: it is shown, asked how it gets on, and in the end called
 * stalled. An agent that waits for a person is not silent; it is asked at most. Nothing is ended.
 */
export function heedSilence(task: TaskState, seen: Seen<'agent-silent'>): Decision {
  const agent = watchedAgent(task);
  if (agent === null || agent.launchId !== seen.launchId) return NOTHING;
  const attention = currentAttention(task);
  const isWaiting = attention?.kind === 'waiting-for-human';
  if (seen.rung === 'stall' && !isWaiting) return callStalled(task, seen, attention);
  if (seen.rung === 'poll' && seen.canBeAsked && attention?.wasPolled !== true) {
    return pollAgent(task, { seen, attention, window: agent.window });
  }
  return attention === null ? remember(task, { attention: quiet(seen) }) : NOTHING;
}

function callStalled(
  task: TaskState,
  seen: Seen<'agent-silent'>,
  attention: Attention | null,
): Decision {
  if (attention?.kind === 'stalled') return NOTHING;
  const silent_minutes = minutesOf(seen.silentMs);
  const { launchId, since } = seen;
  const stalled: Attention = {
    kind: 'stalled',
    launchId,
    since,
    reason: STALLED_REASON,
    wasPolled: attention?.wasPolled ?? false,
  };
  return decideUpdate(
    task,
    {
      events: [{ type: 'agent.stalled', silent_minutes, since, launch: launchId }],
      runtime: { attention: stalled },
    },
    [{ kind: 'notify-human', taskId: task.fields.id, cause: 'stalled' }],
  );
}

function pollAgent(
  task: TaskState,
  parts: {
    readonly seen: Seen<'agent-silent'>;
    readonly attention: Attention | null;
    readonly window: string;
  },
): Decision {
  const { seen, attention, window } = parts;
  const { id: taskId, tmux_session: session } = task.fields;
  if (session === null) return NOTHING;
  const silentMinutes = minutesOf(seen.silentMs);
  const message = { kind: 'poll', silentMinutes } as const;
  const { launchId: launch, since } = seen;
  return decideUpdate(
    task,
    {
      events: [{ type: 'progress.polled', silent_minutes: silentMinutes, since, launch }],
      runtime: { attention: { ...(attention ?? quiet(seen)), wasPolled: true } },
    },
    [{ kind: 'tell-agent', taskId, session, window, message }],
  );
}

/** An agent gives signs of life again: whatever was said of it is over. */
export function heedActivity(task: TaskState, seen: Seen<'agent-active'>): Decision {
  const attention = currentAttention(task);
  if (attention === null || attention.launchId !== seen.launchId) return NOTHING;
  return decideUpdate(task, { events: endOf(attention), runtime: { attention: null } });
}

/** The events that end what the history says of an agent; a mere quiet moment left none. */
export function endOf(attention: Attention): readonly EventDraft[] {
  const { kind, launchId: launch } = attention;
  if (kind === 'quiet' && !attention.wasPolled) return [];
  return [{ type: 'agent.resumed', after: kind === 'quiet' ? 'polled' : kind, launch }];
}

/** The screen of an agent asks for a person, who is told once. */
export function heedWaiting(task: TaskState, seen: Seen<'agent-waits'>, moment: Moment): Decision {
  const agent = watchedAgent(task);
  if (agent === null || agent.launchId !== seen.launchId) return NOTHING;
  const attention = currentAttention(task);
  if (attention?.kind === 'waiting-for-human' || asksForMove(task)) return NOTHING;
  const { launchId: launch, reason } = seen;
  const ended = attention === null ? [] : endOf(attention);
  return decideUpdate(
    task,
    {
      events: [...ended, { type: 'agent.waiting', reason, launch }],
      runtime: { attention: waiting(launch, reason, moment) },
    },
    [tellThatItWaits(task)],
  );
}

/** Where the agent has just asked for a move, that says better what it waits for; the next look tells. */
function asksForMove({ claims, fields }: TaskState): boolean {
  return claims !== null && claims.fields.status !== fields.status;
}

export function waiting(launchId: string, reason: string, moment: Moment): Attention {
  const { timestamp: since } = moment;
  return { kind: 'waiting-for-human', launchId, since, reason, wasPolled: false };
}

export function tellThatItWaits(task: TaskState): Effect {
  return { kind: 'notify-human', taskId: task.fields.id, cause: 'waiting-for-human' };
}

function quiet({ launchId, since }: Seen<'agent-silent'>): Attention {
  return { kind: 'quiet', launchId, since, reason: QUIET_REASON, wasPolled: false };
}

/** Minutes for people: whole ones, below one with its fraction. */
function minutesOf(ms: number): number {
  const minutes = ms / 60_000;
  return minutes >= 1 ? Math.floor(minutes) : Math.round(minutes * 100) / 100;
}
