import type { RuntimeEdit } from '../domain/decision.js';
import type { AgentMessage, StartAgent } from '../domain/effect.js';
import type { Moment } from '../domain/observation.js';
import { reviewWindow, WORKER_WINDOW, type Role } from '../domain/session.js';
import { sessionName } from '../domain/session-name.js';
import type { TaskState, World } from '../domain/world.js';
import { withRestart } from './restart-policy.js';
import { freeWorkspace, takenSessions } from './world-queries.js';

export type StartOrder = {
  readonly role: Role;
  readonly isResuming: boolean;
  readonly message: AgentMessage | null;
};

/** The effect that starts an agent, and what to remember so that nothing starts it twice. */
export type Start = { readonly effect: StartAgent; readonly runtime: RuntimeEdit };

/** The start of a task's worker or reviewer, or null when no worktree is free for it. */
export function planStart(
  world: World,
  task: TaskState,
  order: StartOrder,
  moment: Moment,
): Start | null {
  const { fields } = task;
  const workspace = fields.workspace ?? freeWorkspace(world, fields.project);
  if (workspace === null) return null;
  const window = order.role === 'worker' ? WORKER_WINDOW : reviewWindow(fields.review_round);
  const effect: StartAgent = {
    kind: 'start-agent',
    taskId: fields.id,
    role: order.role,
    window,
    // The task's id makes it the only one of its kind on the machine: processes are found by it.
    launchId: `${window}-${fields.id}-${moment.nowMs.toString(36)}`,
    workspace,
    session: fields.tmux_session ?? chooseSession(world, task),
    needsBinding: fields.workspace === null,
    isResuming: order.isResuming,
    ...(fields.status === 'pending' ? { isOpening: true } : {}),
    message: order.message,
  };
  const agent = { kind: 'starting', launchId: effect.launchId, window } as const;
  return {
    effect,
    runtime: {
      ...(order.role === 'worker' ? { worker: agent } : { reviewer: agent }),
      activity: 'starting',
      reservedWorkspace: workspace,
      respawnAtMs: null,
      awaitsTurn: false,
      ...(isRestart(task, order) ? { restarts: withRestart(task, moment) } : {}),
    },
  };
}

/** Whether this agent has been started before, as far as anyone knows. */
export function isRestart(task: TaskState, { role, isResuming }: StartOrder): boolean {
  if (role === 'reviewer') return task.reviewer.kind !== 'absent';
  return task.worker.kind !== 'absent' || isResuming;
}

function chooseSession(world: World, task: TaskState): string {
  return sessionName({
    project: task.fields.project,
    branch: task.fields.branch,
    taskId: task.fields.id,
    taken: takenSessions(world, task.fields.id),
  });
}
