import { QUIET_REASON, STALLED_REASON, WAITS_WITHOUT_WORDS, type Attention } from './attention.js';
import type { HistoryEvent } from './history-event.js';

/** The types of events that say how an agent gets on. */
export const ATTENTION_TYPES: ReadonlySet<string> = new Set([
  'status.changed',
  'auto.advanced',
  'agent.spawned',
  'review.started',
  'agent.crashed',
  'agent.resumed',
  'progress.polled',
  'agent.stalled',
  'agent.waiting',
  'progress.reported',
]);

/** What is to be said of the agent after one more event. */
export function replayAttention(
  attention: Attention | null,
  event: HistoryEvent,
): Attention | null {
  switch (event.type) {
    case 'status.changed':
    case 'auto.advanced':
    case 'agent.spawned':
    case 'review.started':
    case 'agent.crashed':
    case 'agent.resumed':
      return null;
    case 'progress.polled':
      if (attention !== null) return { ...attention, wasPolled: true };
      return begin(event, { kind: 'quiet', reason: QUIET_REASON, wasPolled: true });
    case 'agent.stalled': {
      const wasPolled = attention?.wasPolled ?? false;
      return begin(event, { kind: 'stalled', reason: STALLED_REASON, wasPolled });
    }
    case 'agent.waiting':
      return begin(event, waitingFor(event['reason']));
    case 'progress.reported':
      return replayReport(attention, event);
    default:
      return attention;
  }
}

/** A report without a launch was about no agent that is watched. */
function replayReport(attention: Attention | null, event: HistoryEvent): Attention | null {
  if (typeof event['launch'] !== 'string') return attention;
  if (event['state'] !== 'waiting') return null;
  const isOngoing = attention?.kind === 'waiting-for-human';
  const since = isOngoing ? attention.since : event.timestamp;
  return begin({ ...event, since }, waitingFor(event['message']));
}

function waitingFor(reason: unknown): Omit<Attention, 'launchId' | 'since'> {
  const words = typeof reason === 'string' ? reason : WAITS_WITHOUT_WORDS;
  return { kind: 'waiting-for-human', reason: words, wasPolled: false };
}

function begin(
  event: HistoryEvent,
  attention: Omit<Attention, 'launchId' | 'since'>,
): Attention | null {
  const { launch, since } = event;
  if (typeof launch !== 'string') return null;
  return {
    ...attention,
    launchId: launch,
    since: typeof since === 'string' ? since : event.timestamp,
  };
}

/** What the whole history says of the agent, as far as the last daemon saw. */
export function lastAttention(events: readonly HistoryEvent[]): Attention | null {
  return events.reduce(replayAttention, null);
}
