import type { Decision } from '../domain/decision.js';
import type { AgentMessage } from '../domain/effect.js';
import type { Moment } from '../domain/observation.js';
import type { Role } from '../domain/session.js';
import type { TaskState, World } from '../domain/world.js';
import { makeMove } from './make-move.js';
import { permitRestart } from './restart-policy.js';
import { planStart } from './start-agent.js';
import { decideUpdate, remember } from './update-task.js';

/**
 * Starts an agent again without being asked, once it is due: now, when it is its turn, or never and
 * the task is stuck, because it has been started again too often. Null while there is only waiting.
 */
export function restartAgent(
  world: World,
  task: TaskState,
  role: Role,
  moment: Moment,
): Decision | null {
  if (task.respawnAtMs === null || moment.monotonicMs < task.respawnAtMs) return null;
  const permit = permitRestart(world, task, moment);
  if (permit.kind === 'too-often') return giveUp(world, task, permit.restarts, moment);
  if (permit.kind === 'wait') {
    return remember(task, { respawnAtMs: permit.untilMs, awaitsTurn: true });
  }
  const order = { role, isResuming: true, message: restartMessage(task) } as const;
  const start = planStart(world, task, order, moment);
  if (start === null) return null;
  return decideUpdate(task, { runtime: start.runtime }, [start.effect]);
}

function giveUp(world: World, task: TaskState, restarts: number, moment: Moment): Decision {
  const order = {
    to: 'stuck',
    actor: 'daemon',
    reason: 'restarted too often',
    facts: { restarts, within_seconds: 60 },
  } as const;
  return makeMove(world, task, order, moment);
}

/** What an agent must know that was not there when the task was last moved. */
function restartMessage({ fields, cameFrom, undelivered }: TaskState): AgentMessage {
  if (undelivered !== null) return undelivered.message;
  const isSentBack = fields.status === 'working' && cameFrom === 'agent-review';
  if (isSentBack) return { kind: 'review-failed', round: fields.review_round };
  return { kind: 'go-on', status: fields.status };
}
