import { nameForCommand } from '../domain/describe-need.js';
import type { Failure } from '../domain/failure.js';
import type { Moment } from '../domain/observation.js';
import type { Actor } from '../domain/request.js';
import { sessionState } from '../domain/session.js';
import { STATUSES } from '../domain/status.js';
import { allowedActions, type TaskAction } from '../domain/task-actions.js';
import type { TaskState } from '../domain/world.js';
import { isRunning } from './world-queries.js';

/** Who asks, when, and the id for a task that may come of it. */
export type Asked = {
  readonly actor: Actor;
  readonly newId: string;
  readonly moment: Moment;
};

/** Why this action is not open for a task now: agents run nothing of the kind, people follow the table. */
export function refuseAction(task: TaskState, action: TaskAction, asked: Asked): Failure | null {
  const { status } = task.fields;
  if (asked.actor === 'agent' && action !== 'review' && action !== 'ask') {
    return { kind: 'not-for-agents', action };
  }
  if (task.activity !== null) {
    return { kind: 'agent-busy', taskId: task.fields.id, doing: task.activity };
  }
  const session = sessionState({
    tmuxSession: task.fields.tmux_session,
    isAlive: isRunning(task.worker) || isRunning(task.reviewer),
    status,
  });
  if (allowedActions(status, session).includes(action)) return null;
  const allowed = STATUSES.filter((each) => allowedActions(each, 'active').includes(action));
  return { kind: 'wrong-status', action, status, allowed, task: nameForCommand(task.fields) };
}
