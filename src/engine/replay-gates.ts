import type { HistoryEvent } from '../domain/history-event.js';
import type { Status } from '../domain/status.js';
import { NO_GATES, type GateFacts } from '../domain/world.js';

/** The types of events that say how gates were decided. */
export const GATE_TYPES: ReadonlySet<string> = new Set([
  'gate.waiting',
  'gate.decided',
  'status.changed',
  'auto.advanced',
]);

/** What is known of a task's gates after one more event. */
export function replayGates(gates: GateFacts, event: HistoryEvent): GateFacts {
  switch (event.type) {
    case 'gate.waiting':
      return event['gate'] === 'plan' ? { ...gates, planWaitsSince: event.timestamp } : gates;
    case 'gate.decided':
      return replayDecision(gates, event);
    case 'status.changed':
    case 'auto.advanced':
      return gatesAfterMove(gates, event['to'] === 'working' ? 'working' : null);
    default:
      return gates;
  }
}

/** A move ends what waited; only a rejected Plan stays rejected until one is accepted. */
export function gatesAfterMove({ rejectedPlan }: GateFacts, to: Status | null): GateFacts {
  return { ...NO_GATES, rejectedPlan: to === 'working' ? null : rejectedPlan };
}

function replayDecision(gates: GateFacts, event: HistoryEvent): GateFacts {
  const { gate, decision, plan_stamp: stamp } = event;
  if (gate === 'start') return { ...gates, isStartApproved: decision === 'approved' };
  if (gate !== 'plan') return gates;
  const plan = typeof stamp === 'string' ? stamp : null;
  const rejectedPlan = decision === 'rejected' ? plan : null;
  const approvedPlan = decision === 'approved' ? plan : null;
  return { ...gates, planWaitsSince: null, rejectedPlan, approvedPlan };
}
