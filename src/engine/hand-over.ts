import type { Decision } from '../domain/decision.js';
import type { EventDraft } from '../domain/history-event.js';
import type { Moment } from '../domain/observation.js';
import type { Settings } from '../domain/settings.js';
import type { TaskState, World } from '../domain/world.js';
import { gateMode } from './gates.js';
import { makeMove, type MoveOrder } from './make-move.js';
import { decideUpdate } from './update-task.js';
import { settingsFor } from './world-queries.js';

/**
 * From `working` to a reviewing agent, or straight to the human where the review gate says so or no
 * reviewer is installed. What an agent hands over has to pass the checks first. A person who asks for the agent's review has decided the gate.
 */
export function handOver(
  world: World,
  task: TaskState,
  order: Omit<MoveOrder, 'to'>,
  moment: Moment,
): Decision {
  const settings = settingsFor(world, task.fields.project);
  const unchecked = order.actor === 'human' ? null : findUnchecked(task, settings);
  if (unchecked !== null) return beginChecks(task, order, unchecked);
  const mode = order.actor === 'human' ? 'ai' : gateMode(task, settings, 'review');
  const { review_harness: reviewer } = task.fields;
  if (mode === 'ai' && world.installedHarnesses.has(reviewer)) {
    return makeMove(world, task, { ...order, to: 'agent-review' }, moment);
  }
  const decided =
    mode === 'ai'
      ? { ...gateDecided('human'), reason: `${reviewer} is not installed` }
      : gateDecided(mode);
  const before = [...(order.before ?? []), decided];
  return makeMove(world, task, { ...order, to: 'reviewing', before }, moment);
}

/** Digest of a Handoff that has to pass checks and has not; null: nothing is in its way. */
function findUnchecked({ artifacts, checkedHandoff, fields }: TaskState, settings: Settings) {
  const { handoffDigest } = artifacts;
  const mustPass = settings.policy.checks.handoff.length > 0 && fields.workspace !== null;
  return mustPass && handoffDigest !== checkedHandoff ? handoffDigest : null;
}

function beginChecks(task: TaskState, order: Omit<MoveOrder, 'to'>, handoff: string): Decision {
  const { fields = {}, sections = [], before: events = [], actor: askedBy } = order;
  return decideUpdate(task, { fields, sections, events, runtime: { activity: 'checking' } }, [
    { kind: 'run-checks', taskId: task.fields.id, askedBy, handoff },
  ]);
}

/** The event that keeps how the review gate was decided. */
export function gateDecided(mode: string): EventDraft {
  return { type: 'gate.decided', gate: 'review', mode };
}
