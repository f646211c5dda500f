import type { HistoryEvent } from '../../domain/history-event.js';
import { NO_RESERVATION, type ReservationFacts } from '../../domain/lock.js';
import { isStatus, isTerminal, type Status } from '../../domain/status.js';
import { releaseKey } from './reservations.js';

/** The types of events that say how a task's files and those of others overlap. */
export const RESERVATION_TYPES: ReadonlySet<string> = new Set([
  'reservation.conflict',
  'reservation.denied',
  'reservation.released',
  'touch.drift',
  'status.changed',
  'auto.advanced',
]);

/** What is known of a task's reservation after one more event. */
export function replayReservation(facts: ReservationFacts, event: HistoryEvent): ReservationFacts {
  switch (event.type) {
    case 'reservation.conflict':
      return { ...facts, warnedOf: withId(facts.warnedOf, event['with']) };
    case 'reservation.denied':
      return { ...facts, deniedSince: event.timestamp };
    case 'reservation.released':
      return { ...facts, released: releaseKey(textsIn(event['paths'])) };
    case 'touch.drift': {
      const { count } = event;
      const paths = textsIn(event['paths']);
      return { ...facts, drift: { paths, count: typeof count === 'number' ? count : 0 } };
    }
    case 'status.changed':
    case 'auto.advanced': {
      const { to } = event;
      return typeof to === 'string' && isStatus(to) ? reservationAfterMove(facts, to) : facts;
    }
    default:
      return facts;
  }
}

/** A move ends what waited; with a new plan, or none, everything begins anew. */
export function reservationAfterMove(facts: ReservationFacts, to: Status): ReservationFacts {
  if (to === 'pending' || to === 'planning' || isTerminal(to)) return NO_RESERVATION;
  return facts.deniedSince === null ? facts : { ...facts, deniedSince: null };
}

function withId(ids: readonly string[], id: unknown): readonly string[] {
  return typeof id !== 'string' || ids.includes(id) ? ids : [...ids, id];
}

function textsIn(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is string => typeof item === 'string');
}
