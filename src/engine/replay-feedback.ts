import type { HistoryEvent } from '../domain/history-event.js';
import type { FeedbackFacts } from '../domain/world.js';

/** The types of events that say what became of remarks on GitHub. */
export const FEEDBACK_TYPES: ReadonlySet<string> = new Set(['pr.feedback', 'pr.opened']);

/** What is known of the remarks on a task's pull request after one more event. */
export function replayFeedback(feedback: FeedbackFacts, event: HistoryEvent): FeedbackFacts {
  // Another pull request: what waited was about the one before.
  if (event.type === 'pr.opened') return { ...feedback, waiting: [], since: null };
  if (event.type !== 'pr.feedback') return feedback;
  const { decision, remarks } = event;
  const keys = Array.isArray(remarks) ? remarks.filter((key) => typeof key === 'string') : [];
  if (decision === 'waiting') return { ...feedback, waiting: keys, since: event.timestamp };
  if (decision === 'over') return { ...feedback, waiting: [], since: null };
  return settleRemarks(feedback, keys);
}

/** These were passed on or put away: they are offered no more. */
export function settleRemarks(feedback: FeedbackFacts, keys: readonly string[]): FeedbackFacts {
  const waiting = feedback.waiting.filter((key) => !keys.includes(key));
  const settled = [...new Set([...feedback.settled, ...keys])].slice(-MOST_REMEMBERED);
  return { settled, waiting, since: waiting.length === 0 ? null : feedback.since };
}

// Several times what one pull request tells at most.
const MOST_REMEMBERED = 1000;
