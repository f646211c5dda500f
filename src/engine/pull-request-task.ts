import type { Decision } from '../domain/decision.js';
import type { Failure } from '../domain/failure.js';
import type { TaskRequest } from '../domain/request.js';
import { isTerminal, STATUSES } from '../domain/status.js';
import type { TaskState } from '../domain/world.js';
import type { Asked } from './refuse-action.js';
import { decideUpdate, refuse } from './update-task.js';

/** `pr create`: the branch goes to GitHub; what comes of it is settled when that has answered. */
export function openPullRequest(
  task: TaskState,
  request: Extract<TaskRequest, { kind: 'task.pr-create' }>,
  asked: Asked,
): Decision {
  const taskId = task.fields.id;
  const refusal = refusePublishing(task, 'open a pull request of', asked);
  if (refusal !== null) return refuse(refusal, taskId);
  const { isDraft, title, body, base } = request;
  return decideUpdate(task, { runtime: { activity: 'publishing' } }, [
    { kind: 'open-pull-request', taskId, askedBy: asked.actor, isDraft, title, body, base },
  ]);
}

/** `pr sync`: asks GitHub how the pull request is. */
export function syncPullRequest(task: TaskState, asked: Asked): Decision {
  const taskId = task.fields.id;
  const refusal =
    refusePublishing(task, 'sync the pull request of', asked) ?? refuseWithoutPullRequest(task);
  if (refusal !== null) return refuse(refusal, taskId);
  return {
    changes: [],
    effects: [{ kind: 'view-pull-request', taskId, askedBy: asked.actor, purpose: 'sync' }],
    failure: null,
    taskId,
  };
}

export function refusePublishing(task: TaskState, action: string, asked: Asked): Failure | null {
  const { status } = task.fields;
  if (asked.actor === 'agent') return { kind: 'not-for-agents', action };
  if (task.activity !== null) {
    return { kind: 'agent-busy', taskId: task.fields.id, doing: task.activity };
  }
  if (!isTerminal(status)) return null;
  const allowed = STATUSES.filter((each) => !isTerminal(each));
  return { kind: 'wrong-status', action, status, allowed };
}

export function refuseWithoutPullRequest({ fields }: TaskState): Failure | null {
  return fields.pr_url === null ? { kind: 'pr-missing' } : null;
}
