import type { RuntimeEdit } from '../domain/decision.js';
import type { AgentMessage, StartAgent } from '../domain/effect.js';
import type { Moment } from '../domain/observation.js';
import { reviewWindow, WORKER_WINDOW, type Role } from '../domain/session.js';
import { sessionName } from '../domain/session-name.js';
import type { TaskState, World } from '../domain/world.js';
import { freeWorkspace, takenSessions } from './world-queries.js';

export type StartOrder = {
  readonly role: Role;
  readonly isResuming: boolean;
  readonly message: AgentMessage | null;
};

/** The effect that starts a task's worker or reviewer, or null when no worktree is free for it. */
export function planStart(
  world: World,
  task: TaskState,
  order: StartOrder,
  moment: Moment,
): StartAgent | null {
  const { fields } = task;
  const workspace = fields.workspace ?? freeWorkspace(world, fields.project);
  if (workspace === null) return null;
  const window = order.role === 'worker' ? WORKER_WINDOW : reviewWindow(fields.review_round);
  return {
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
    message: order.message,
  };
}

/** What to remember while a start is under way, so that nothing starts it twice. */
export function whileStarting(start: StartAgent): RuntimeEdit {
  const agent = { kind: 'starting', launchId: start.launchId, window: start.window } as const;
  return {
    ...(start.role === 'worker' ? { worker: agent } : { reviewer: agent }),
    activity: 'starting',
    reservedWorkspace: start.workspace,
    respawnAtMs: null,
  };
}

function chooseSession(world: World, task: TaskState): string {
  return sessionName({
    project: task.fields.project,
    branch: task.fields.branch,
    taskId: task.fields.id,
    taken: takenSessions(world, task.fields.id),
  });
}
