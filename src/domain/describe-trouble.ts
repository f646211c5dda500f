import type { EventDraft } from './history-event.js';

/** Why a task became stuck, from the events that led there; null when they do not tell. */
export function describeTrouble(events: readonly EventDraft[]): string | null {
  const move = events.findLast((event) => event['to'] === 'stuck');
  if (move?.['verdict'] === 'FAIL') return `review round ${fact(move, 'round')} ended with FAIL`;
  // Somebody who asks for it right after a crash has a reason of their own.
  if (move?.type !== 'auto.advanced') return null;
  if (typeof move['restarts'] === 'number') return describeRestarts(move);
  const check = events.findLast(({ type }) => type === 'check.ran');
  if (move['reason'] === 'checks failed' && check !== undefined) {
    return `the check "${fact(check, 'command')}" kept failing (its output: test-results/handoff.log)`;
  }
  const crash = events.findLast(({ type }) => type === 'agent.crashed');
  return crash === undefined ? null : describeCrash(crash);
}

function describeRestarts(move: EventDraft): string {
  return `started again ${fact(move, 'restarts')} times within ${fact(move, 'within_seconds')} s and ended each time`;
}

/** The same from a whole history, for a task that is stuck at its end. */
export function describeLastTrouble(history: readonly EventDraft[]): string | null {
  const at = history.findLastIndex((event) => event['to'] === 'stuck');
  return describeTrouble(history.slice(Math.max(0, at - 1), at + 1));
}

function describeCrash(crash: EventDraft): string {
  const times = `crashed ${fact(crash, 'crash_count')} times`;
  return `${times}${describeEnding(crash)}: ${fact(crash, 'reason')}`;
}

function describeEnding({ signal, exit_status: status }: EventDraft): string {
  if (typeof signal === 'string') return `, last by ${signal}`;
  return typeof status === 'number' ? `, last with exit status ${status}` : '';
}

function fact(event: EventDraft, name: string): string {
  const value = event[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '?';
}
