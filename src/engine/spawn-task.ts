import type { Decision } from '../domain/decision.js';
import { holdOf, NOT_SPAWNED } from '../domain/extensions.js';
import type { Failure } from '../domain/failure.js';
import { remedyFor } from '../domain/remedy.js';
import type { TaskRequest } from '../domain/request.js';
import type { WaitReason } from '../domain/task-view.js';
import type { TaskState, World } from '../domain/world.js';
import { gateEvent, waitingGate } from './decide-gate.js';
import { refuseAction, type Asked } from './refuse-action.js';
import { explainWait, isHardReason } from './schedule.js';
import { planStart } from './start-agent.js';
import { decideUpdate, refuse } from './update-task.js';

/**
 * Starts a pending task because somebody asked. The start gate is open to them, `--force` also
 * passes blockers and holds; a full pool is no refusal, the task waits its turn.
 */
export function spawnTask(
  world: World,
  task: TaskState,
  request: Extract<TaskRequest, { kind: 'task.spawn' }>,
  asked: Asked,
): Decision {
  const refusal = refuseAction(task, 'spawn', asked);
  if (refusal !== null) return refuse(refusal, task.fields.id);
  const isLifting = holdOf(task.extensions) === NOT_SPAWNED || request.force;
  const extensions = { ...task.extensions };
  if (isLifting) delete extensions['hold'];
  const willing: TaskState = { ...task, extensions, startTrouble: null };
  const passes = request.force ? FORCED : new Set(['start-gate']);
  const reasons = explainWait(world, willing, asked.moment).filter(({ code }) => !passes.has(code));
  const hard = reasons.filter(isHardReason);
  if (hard.length > 0) {
    return refuse(notEligible(task, hard), task.fields.id);
  }
  const passed = passStartGate(world, task, asked);
  const isHeld = holdOf(task.extensions) !== null && isLifting;
  const parts = {
    extensions: isHeld ? { hold: null } : {},
    events: [
      ...(isHeld ? [{ type: 'task.updated', fields: ['hold'], by: asked.actor }] : []),
      ...passed.events,
    ],
  };
  const { gates } = passed;
  const order = { role: 'worker', isResuming: false, message: null } as const;
  const start = reasons.length === 0 ? planStart(world, willing, order, asked.moment) : null;
  if (start === null)
    return decideUpdate(task, { ...parts, runtime: { startTrouble: null, gates } });
  return decideUpdate(
    task,
    { ...parts, runtime: { ...start.runtime, startTrouble: null, gates } },
    [start.effect],
  );
}

/** What `--force` passes. */
const FORCED: ReadonlySet<string> = new Set([
  'start-gate',
  'blocked',
  'dead-end',
  'cycle',
  'backlog',
  'assigned',
  'budget',
  'reserved',
]);

function notEligible(task: TaskState, hard: readonly WaitReason[]): Failure {
  const { id, project, branch } = task.fields;
  // A forced start lifts any hold as well.
  const stays = hard.find(({ code }) => code !== 'held' && !FORCED.has(code));
  const remedy = stays === undefined ? null : remedyFor(stays, task);
  return {
    kind: 'not-eligible',
    taskId: id,
    task: `${project}/${branch}`,
    reasons: hard.map(({ message }) => message),
    ...(stays === undefined || remedy === null ? {} : { firm: { code: stays.code, remedy } }),
  };
}

/** Whoever starts a task has approved its start: that is remembered until there is a worktree. */
function passStartGate(world: World, task: TaskState, { actor }: Asked) {
  if (waitingGate(world, task) !== 'start') return { events: [], gates: task.gates };
  const about = { gate: 'start', decision: 'approved', by: actor, rationale: '' } as const;
  return {
    events: [gateEvent(world, task, about)],
    gates: { ...task.gates, isStartApproved: true },
  };
}
