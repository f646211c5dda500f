import { gateOf, textOf, type GateMode } from '../domain/extensions.js';
import type { GateName, Settings } from '../domain/settings.js';
import type { Status } from '../domain/status.js';
import type { TaskState } from '../domain/world.js';

/** How a gate is decided for this task: its own word first, then its weight's, then the policy's. */
export function gateMode(task: TaskState, settings: Settings, gate: GateName): GateMode {
  const weight = textOf(task.extensions['weight']) ?? 'medium';
  return (
    gateOf(task.extensions, gate) ??
    settings.policy.weightOverrides[weight]?.[gate] ??
    settings.policy.gates[gate]
  );
}

/**
 * Whether a move begins a stretch of work: a Handoff that is already there then is an old one. The
 * way from planning to working, and there and back to ask, goes on with the same stretch, so that an
 * agent which writes Plan and Handoff in one breath is heard.
 */
export function beginsWork(from: Status | null, to: Status): boolean {
  const isWork = to === 'planning' || to === 'working';
  return isWork && from !== 'planning' && from !== 'working' && from !== 'clarification';
}

/** Whether there is a valid Plan that nobody has rejected as it stands. */
export function hasCountingPlan({ artifacts, gates }: TaskState): boolean {
  const isRejected = gates.rejectedPlan !== null && artifacts.planDigest === gates.rejectedPlan;
  return artifacts.hasValidPlan && !isRejected;
}

/** Whether a person has approved the Plan as it stands, and it only waits for others. */
export function hasApprovedPlan({ artifacts, gates }: TaskState): boolean {
  return gates.approvedPlan !== null && artifacts.planDigest === gates.approvedPlan;
}

/** Whether the Handoff says something that it did not say when this stretch of work began. */
export function hasFreshHandoff(task: TaskState): boolean {
  return task.artifacts.hasValidHandoff && task.artifacts.handoffDigest !== task.handoffStamp;
}
