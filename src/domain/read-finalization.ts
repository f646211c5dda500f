import { RISKS, type Finalization } from './finalization.js';
import type { HistoryEvent } from './history-event.js';
import { isStatus } from './status.js';

/** What a history says of a task as it stands: what was found out before it moved on is over. */
export function lastFinalization(events: readonly HistoryEvent[]): Finalization | null {
  const last = events.findLast((event) => event.type === 'task.finalized' || isMove(event));
  return last?.type === 'task.finalized' ? readFinalization(last) : null;
}

function isMove({ type, to }: HistoryEvent): boolean {
  const isMoving = type === 'status.changed' || type === 'auto.advanced';
  return isMoving && typeof to === 'string' && isStatus(to);
}

/** What a history says was found out; null when it says it in a way that nobody knows. */
export function readFinalization(event: HistoryEvent): Finalization | null {
  const { ready, action, head } = event;
  const risk = RISKS.find((each) => each === event['risk']);
  const isWhole =
    typeof ready === 'boolean' && typeof action === 'string' && typeof head === 'string';
  if (!isWhole || risk === undefined) return null;
  const count = (name: string): number => {
    const value = event[name];
    return typeof value === 'number' ? value : 0;
  };
  return {
    ready,
    risk,
    action,
    files: count('files'),
    lines: count('lines'),
    conflicts: count('conflicts'),
    conflicting: textsOf(event['conflicting']),
    behind: count('behind'),
    head,
  };
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value)
    ? value.filter((each): each is string => typeof each === 'string')
    : [];
}
