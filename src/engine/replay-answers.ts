import type { HistoryEvent } from '../domain/history-event.js';
import type { GivenAnswer } from '../domain/world.js';

/** The types of events that say which answers a worker has not been told. */
export const ANSWER_TYPES: ReadonlySet<string> = new Set([
  'question.answered',
  'status.changed',
  'auto.advanced',
]);

/** The answers that wait for the task to go on, after one more event. */
export function replayAnswers(
  given: readonly GivenAnswer[],
  event: HistoryEvent,
): readonly GivenAnswer[] {
  if (!ANSWER_TYPES.has(event.type)) return given;
  // With the move that the last answer brings, its worker is told all of them.
  if (event.type !== 'question.answered') return [];
  const { questions, text } = event;
  // One that is too long to be pasted, and those of an older orange, stand in TASK.md alone.
  const words = typeof text === 'string' ? text : null;
  const numbers = Array.isArray(questions) ? questions.filter(isNumber) : [];
  return numbers.length === 0 ? given : [...given, { questions: numbers, text: words }];
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}
