import type { Decision } from '../domain/decision.js';
import { nameForCommand } from '../domain/describe-need.js';
import { blockersOf } from '../domain/extensions.js';
import type { Failure } from '../domain/failure.js';
import type { TaskRequest } from '../domain/request.js';
import { isTerminal, STATUSES } from '../domain/status.js';
import type { FrontmatterValue } from '../domain/task.js';
import type { TaskState, World } from '../domain/world.js';
import { refuseBlockers } from './blockers.js';
import { sameValue } from './find-claims.js';
import { makeMove } from './make-move.js';
import { refuseAction, type Asked } from './refuse-action.js';
import { decideUpdate, refuse } from './update-task.js';

type RequestOf<K extends TaskRequest['kind']> = Extract<TaskRequest, { kind: K }>;
export type QueueRequest = RequestOf<
  'task.block' | 'task.unblock' | 'task.hold' | 'task.release' | 'task.requeue'
>;

/** What steers the queue: who waits for whom, who is held back, and who goes back into it. */
export function steerQueue(
  world: World,
  task: TaskState,
  request: QueueRequest,
  asked: Asked,
): Decision {
  switch (request.kind) {
    case 'task.block':
      return blockTask(world, task, request, asked);
    case 'task.unblock':
      return unblockTask(world, task, request, asked);
    case 'task.hold':
      return setHold(task, 'hold', request.reason, asked);
    case 'task.release':
      return setHold(task, 'release', null, asked);
    case 'task.requeue':
      return requeueTask(world, task, request, asked);
  }
}

function blockTask(
  world: World,
  task: TaskState,
  { blockers }: RequestOf<'task.block'>,
  asked: Asked,
): Decision {
  const { id } = task.fields;
  const refusal = refuseRelation(task, 'block', asked) ?? refuseBlockers(world, id, blockers);
  if (refusal !== null) return refuse(refusal, id);
  const all = [...new Set([...blockersOf(task.extensions), ...blockers])];
  return setExtension(task, { key: 'blocked_by', value: all, asked });
}

/** No blockers named: whatever the task waits for. */
function unblockTask(
  world: World,
  task: TaskState,
  { blockers }: RequestOf<'task.unblock'>,
  asked: Asked,
): Decision {
  const { id } = task.fields;
  const before = blockersOf(task.extensions);
  const refusal = refuseRelation(task, 'unblock', asked);
  if (refusal !== null) return refuse(refusal, id);
  const stranger = blockers.find((blocker) => !before.includes(blocker));
  if (stranger !== undefined) {
    return refuse(notWaitedFor(world, task, stranger), id);
  }
  const left = blockers.length === 0 ? [] : before.filter((each) => !blockers.includes(each));
  return setExtension(task, { key: 'blocked_by', value: left.length === 0 ? null : left, asked });
}

function notWaitedFor(world: World, { fields }: TaskState, stranger: string): Failure {
  const other = world.tasks.get(stranger);
  return {
    kind: 'invalid-argument',
    argument: 'blocker',
    value: other === undefined ? stranger : nameForCommand(other.fields),
    rule: 'the task does not wait for it',
    remedy: `See what it waits for with: orange task deps ${nameForCommand(fields)}`,
  };
}

function setHold(
  task: TaskState,
  action: 'hold' | 'release',
  reason: string | null,
  asked: Asked,
): Decision {
  const refusal = refuseAction(task, action, asked);
  if (refusal !== null) return refuse(refusal, task.fields.id);
  return setExtension(task, { key: 'hold', value: reason, asked });
}

/** Back into the queue: what is unsaved is kept, the worktree freed; Plan and Handoff stay in the file. */
function requeueTask(
  world: World,
  task: TaskState,
  { hold }: RequestOf<'task.requeue'>,
  asked: Asked,
): Decision {
  const refusal = refuseAction(task, 'requeue', asked);
  if (refusal !== null) return refuse(refusal, task.fields.id);
  const order = { to: 'pending', actor: asked.actor, reason: 'requeued' } as const;
  const decision = makeMove(world, task, order, asked.moment);
  if (hold === null) return decision;
  const held = { type: 'task.updated', fields: ['hold'], by: asked.actor };
  return {
    ...decision,
    changes: decision.changes.map((change) =>
      change.kind === 'update-task'
        ? {
            ...change,
            extensions: { ...change.extensions, hold },
            events: [held, ...change.events],
          }
        : change,
    ),
  };
}

function refuseRelation(
  { fields, activity }: TaskState,
  action: 'block' | 'unblock',
  asked: Asked,
) {
  const { id: taskId, status } = fields;
  if (asked.actor === 'agent') return { kind: 'not-for-agents', action } as const;
  if (activity !== null) return { kind: 'agent-busy', taskId, doing: activity } as const;
  if (!isTerminal(status)) return null;
  const allowed = STATUSES.filter((each) => !isTerminal(each));
  return { kind: 'wrong-status', action, status, allowed } as const;
}

function setExtension(
  task: TaskState,
  edit: { readonly key: string; readonly value: FrontmatterValue; readonly asked: Asked },
): Decision {
  const { key, value, asked } = edit;
  const before = task.extensions[key] ?? null;
  if (sameValue(before, value)) {
    return { changes: [], effects: [], failure: null, taskId: task.fields.id };
  }
  return decideUpdate(task, {
    extensions: { [key]: value },
    events: [{ type: 'task.updated', fields: [key], by: asked.actor }],
  });
}
