import type { Decision } from '../domain/decision.js';
import type { TaskRequest } from '../domain/request.js';
import { WORKER_WINDOW } from '../domain/session.js';
import type { TaskState, World } from '../domain/world.js';
import { answerQuestion, askQuestion } from './ask-task.js';
import { createTask, reopenTask } from './create-task.js';
import { decideGate } from './decide-gate.js';
import { finalizeTask } from './finalize-task.js';
import { rewriteAsked } from './lost-file.js';
import { makeMove } from './make-move.js';
import { answerFeedback } from './pull-request-feedback.js';
import { openPullRequest, syncPullRequest } from './pull-request-task.js';
import { steerQueue } from './queue-task.js';
import { mergeTask } from './merge-task.js';
import { refuseAction, type Asked } from './refuse-action.js';
import { refuseUnread } from './refuse-unread.js';
import { unlockTask } from './reservations/unlock-task.js';
import { reportProgress } from './report-progress.js';
import { planStart } from './start-agent.js';
import { spawnTask } from './spawn-task.js';
import { decideUpdate, refuse } from './update-task.js';
import { editTask } from './edit-task.js';
import { requestChanges, reviewTask } from './review-task.js';
import { isRunning } from './world-queries.js';

type RequestOf<K extends TaskRequest['kind']> = Extract<TaskRequest, { kind: K }>;

/** What a wish leads to: changes and effects, or a refusal with its reason. */
export function answerRequest(world: World, request: TaskRequest, asked: Asked): Decision {
  if (request.kind === 'task.create') return createTask(world, request, asked);
  const task = world.tasks.get(request.taskId);
  if (task === undefined) {
    return refuse({ kind: 'not-found', what: 'task', name: request.taskId });
  }
  const unread = refuseUnread(task, request);
  if (unread !== null) return refuse(unread, task.fields.id);
  switch (request.kind) {
    case 'task.update':
      return editTask(world, task, request, asked);
    case 'task.spawn':
      return spawnTask(world, task, request, asked);
    case 'task.respawn':
      return respawnTask(world, task, asked);
    case 'task.drift':
      return decideUpdate(task, {}, [{ kind: 'measure-drift', taskId: task.fields.id }]);
    case 'task.unlock':
      return unlockTask(task, asked);
    case 'task.restore':
      return rewriteAsked(task, asked);
    case 'task.send':
      return sendText(task, request);
    case 'task.report':
      return reportProgress(task, request, asked);
    case 'task.ask':
      return askQuestion(world, task, request, asked);
    case 'task.answer':
      return answerQuestion(world, task, request, asked);
    case 'task.review':
      return reviewTask(world, task, request, asked);
    case 'task.request-changes':
      return requestChanges(world, task, request, asked);
    case 'task.approve':
    case 'task.reject':
      return decideGate(world, task, request, asked);
    case 'task.block':
    case 'task.unblock':
    case 'task.hold':
    case 'task.release':
    case 'task.requeue':
      return steerQueue(world, task, request, asked);
    case 'task.cancel':
      return cancelTask(world, task, request, asked);
    case 'task.finalize':
      return finalizeTask(task, asked);
    case 'task.delete':
      return deleteTask(task, asked);
    case 'task.reopen':
      return reopenTask(world, task, request, asked);
    case 'task.merge':
      return mergeTask(world, task, request, asked);
    case 'task.pr-create':
      return openPullRequest(task, request, asked);
    case 'task.pr-sync':
      return syncPullRequest(task, asked);
    case 'task.pr-feedback':
      return answerFeedback(task, request, asked);
  }
}

function respawnTask(world: World, task: TaskState, asked: Asked): Decision {
  const refusal = refuseAction(task, 'respawn', asked);
  if (refusal !== null) return refuse(refusal, task.fields.id);
  const role = task.fields.status === 'agent-review' ? 'reviewer' : 'worker';
  const agent = role === 'worker' ? task.worker : task.reviewer;
  const order = {
    role,
    isResuming: true,
    message: task.undelivered?.message ?? { kind: 'go-on', status: task.fields.status },
  } as const;
  const start = planStart(world, task, order, asked.moment);
  const { project, tmux_session: session, id } = task.fields;
  if (start === null) {
    const size = world.projects.get(project)?.pool_size ?? 0;
    return refuse({ kind: 'pool-exhausted', project, size }, id);
  }
  const { actor: by } = asked;
  if (agent.kind === 'absent' || !isRunning(agent) || session === null) {
    const effect = { ...start.effect, asked: { by } };
    return decideUpdate(task, { runtime: start.runtime }, [effect]);
  }
  const { window } = start.effect;
  return decideUpdate(task, { runtime: start.runtime }, [
    { kind: 'end-window', taskId: id, session, window },
    { ...start.effect, asked: { by, replaced: agent.launchId } },
  ]);
}

function sendText(task: TaskState, request: RequestOf<'task.send'>): Decision {
  const { id: taskId, tmux_session: session } = task.fields;
  if (session === null || task.worker.kind !== 'live') {
    return refuse({ kind: 'agent-not-running', taskId, window: WORKER_WINDOW }, taskId);
  }
  const message = { kind: 'text', text: request.text } as const;
  return {
    changes: [],
    effects: [{ kind: 'tell-agent', taskId, session, window: WORKER_WINDOW, message }],
    failure: null,
    taskId,
  };
}

function cancelTask(
  world: World,
  task: TaskState,
  request: RequestOf<'task.cancel'>,
  asked: Asked,
): Decision {
  const refusal = refuseAction(task, 'cancel', asked);
  if (refusal !== null) return refuse(refusal, task.fields.id);
  const order = { to: 'cancelled', actor: asked.actor, reason: request.reason ?? '' } as const;
  return makeMove(world, task, order, asked.moment);
}

function deleteTask(task: TaskState, asked: Asked): Decision {
  const refusal = refuseAction(task, 'delete', asked);
  if (refusal !== null) return refuse(refusal, task.fields.id);
  const { id } = task.fields;
  return {
    changes: [{ kind: 'delete-task', taskId: id }],
    effects: [],
    failure: null,
    taskId: null,
  };
}
