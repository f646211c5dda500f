import { basename } from 'node:path';
import type { Failure } from '../domain/failure.js';
import type { Request } from '../domain/request.js';
import { WORKER_WINDOW } from '../domain/session.js';
import type { TaskView } from '../domain/task-view.js';
import { isInside, taskName } from './find-task.js';
import { nameBlocker, nameOf } from './format-task.js';

/** The failure of a request with the names that only whoever asked knows: of tasks, mostly. */
export function nameInFailure(
  failure: Failure,
  request: Request,
  tasks: readonly TaskView[],
): Failure {
  const { kind } = failure;
  if (kind === 'project-exists' && request.kind === 'project.add') {
    return { ...failure, same: sharedPart(failure, request) };
  }
  if (kind === 'branch-in-use') {
    const owner = tasks.find(({ fields }) => failure.where === `task ${fields.id}`);
    return owner === undefined ? failure : { ...failure, task: taskName(owner) };
  }
  if (kind === 'blocking-cycle') {
    return { ...failure, path: failure.path.map((id) => nameOf(id, tasks)) };
  }
  const taskId = 'taskId' in request ? request.taskId : null;
  const task = tasks.find(({ fields }) => fields.id === taskId);
  if (task === undefined) return failure;
  if (kind === 'agent-not-running') return agentNotRunning(task);
  if (kind === 'not-eligible') {
    const reasons = failure.reasons.map((reason) => nameBlocker(reason, tasks));
    return { ...failure, task: taskName(task), reasons };
  }
  return isNameless(failure) ? { ...failure, task: taskName(task) } : failure;
}

const NAMELESS = [
  'move-refused',
  'wrong-status',
  'no-such-question',
  'no-gate-waiting',
  'moved-on',
  'blocked-by-self',
] as const;
type Nameless = Extract<Failure, { kind: (typeof NAMELESS)[number] }>;

function isNameless(failure: Failure): failure is Nameless {
  return NAMELESS.some((kind) => kind === failure.kind);
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
