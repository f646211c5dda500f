import type { AgentMessage } from '../domain/effect.js';
import type { HistoryEvent } from '../domain/history-event.js';
import { WORKER_WINDOW } from '../domain/session.js';
import type { Undelivered } from '../domain/world.js';

/** The types of events that say whether something is still to be told. */
export const MESSAGE_TYPES: ReadonlySet<string> = new Set([
  'message.undelivered',
  'message.delivered',
  'agent.spawned',
  'status.changed',
  'auto.advanced',
]);

/** What is still to be told to the worker after one more event; it is due at once. */
export function replayMessage(
  undelivered: Undelivered | null,
  event: HistoryEvent,
): Undelivered | null {
  switch (event.type) {
    case 'message.undelivered': {
      const { message, reason } = event;
      if (!isMessage(message)) return undelivered;
      const words = typeof reason === 'string' ? reason : '';
      return { message, reason: words, since: event.timestamp, tries: 1, retryAtMs: 0 };
    }
    // A worker that is started reads everything anew.
    case 'agent.spawned':
      return event['window'] === WORKER_WINDOW ? null : undelivered;
    case 'message.delivered':
    case 'status.changed':
    case 'auto.advanced':
      return null;
    default:
      return undelivered;
  }
}

type MessageOf<K extends AgentMessage['kind']> = AgentMessage extends infer M
  ? M extends { kind: infer Kind }
    ? K extends Kind
      ? M
      : never
    : never
  : never;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number';

const MESSAGES: {
  readonly [K in AgentMessage['kind']]: {
    readonly [Field in Exclude<keyof MessageOf<K>, 'kind'>]: Check;
  };
} = {
  'review-failed': { round: isNumber },
  'changes-requested': { text: isText },
  'checks-failed': { command: isText, tail: isText, log: isText },
  'merge-conflict': {
    base: isText,
    onto: isText,
    files: (value) => Array.isArray(value) && value.every(isText),
  },
  'pr-feedback': { url: isText, text: isText },
  answered: {
    status: isText,
    questions: (value) => Array.isArray(value) && value.every(isNumber),
    text: (value) => value === null || isText(value),
  },
  'plan-approved': { text: isText },
  'plan-rejected': { text: isText },
  'go-on': { status: isText },
  poll: { silentMinutes: isNumber },
  overlap: { mustWait: (value) => typeof value === 'boolean', others: Array.isArray },
  'put-back': {
    context: (value) => value === null || isPutBackContext(value),
    status: (value) => value === null || isText(value),
  },
  text: { text: isText },
};

function isPutBackContext(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const transcript: unknown = Reflect.get(value, 'transcript');
  const headings: unknown = Reflect.get(value, 'headings');
  return (
    (transcript === null || isText(transcript)) && Array.isArray(headings) && headings.every(isText)
  );
}

function isMessage(value: unknown): value is AgentMessage {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false;
  const fields = Object.entries(MESSAGES).find(([kind]) => kind === value.kind)?.[1];
  if (fields === undefined) return false;
  const given = new Map<string, unknown>(Object.entries(value));
  return Object.entries(fields).every(([name, isValid]) => isValid(given.get(name)));
}
