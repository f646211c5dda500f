import { basename } from 'node:path';
import type { Failure } from '../domain/failure.js';
import type { Request } from '../domain/request.js';
import { WORKER_WINDOW } from '../domain/session.js';
import type { TaskView } from '../domain/task-view.js';
import { isInside, taskName } from './find-task.js';

/** The failure of a request with the names that only whoever asked knows: of tasks, mostly. */
export function nameInFailure(
  failure: Failure,
  request: Request,
  tasks: readonly TaskView[],
): Failure {
  const taskId = 'taskId' in request ? request.taskId : null;
  const task = tasks.find(({ fields }) => fields.id === taskId);
  switch (failure.kind) {
    case 'move-refused':
    case 'wrong-status':
      return task === undefined ? failure : { ...failure, task: taskName(task) };
    case 'agent-not-running':
      return task === undefined ? failure : agentNotRunning(task);
    case 'branch-in-use': {
      const owner = tasks.find(({ fields }) => failure.where === `task ${fields.id}`);
      return owner === undefined ? failure : { ...failure, task: taskName(owner) };
    }
    case 'project-exists':
      return request.kind === 'project.add'
        ? { ...failure, same: sharedPart(failure, request) }
        : failure;
    default:
      return failure;
  }
}

/** Why nobody listens in a task: with its status, so that the remedy fits. */
export function agentNotRunning(task: TaskView): Failure {
  const { id: taskId, status } = task.fields;
  return {
    kind: 'agent-not-running',
    taskId,
    window: WORKER_WINDOW,
    task: taskName(task),
    status,
  };
}

function sharedPart(
  twin: { readonly name: string; readonly path: string },
  asked: { readonly name: string | null; readonly path: string },
): 'repository' | 'name' {
  if (isInside(asked.path, twin.path)) return 'repository';
  return (asked.name ?? basename(asked.path)) === twin.name ? 'name' : 'repository';
}
