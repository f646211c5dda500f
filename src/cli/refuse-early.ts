import type { Failure } from '../domain/failure.js';
import { STATUSES } from '../domain/status.js';
import { allowedActions, type TaskAction } from '../domain/task-actions.js';
import type { TaskView } from '../domain/task-view.js';
import type { CommandContext } from './command-context.js';
import { taskName } from './find-task.js';

/** Why the daemon would refuse this anyway, to be said before anybody is asked whether they mean it. */
export function refuseEarly(
  { actor }: Pick<CommandContext, 'actor'>,
  task: TaskView,
  action: TaskAction,
): Failure | null {
  if (actor === 'agent') return { kind: 'not-for-agents', action };
  const allowed = STATUSES.filter((each) => allowedActions(each, 'inactive').includes(action));
  const { status } = task.fields;
  if (allowed.includes(status)) return null;
  return { kind: 'wrong-status', action, status, allowed, task: taskName(task) };
}
