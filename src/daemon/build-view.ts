import type { Attention } from '../domain/attention.js';
import type { Moment } from '../domain/observation.js';
import { slotOf } from '../domain/pool.js';
import { sessionState } from '../domain/session.js';
import { isTerminal } from '../domain/status.js';
import { allowedActions } from '../domain/task-actions.js';
import type {
  NextRow,
  ProjectView,
  AttentionView,
  TaskView,
  WaitReason,
  WorkspaceView,
} from '../domain/task-view.js';
import type { TaskState, World } from '../domain/world.js';
import { explainRestart } from '../engine/explain-restart.js';
import { explainWait, pendingInOrder } from '../engine/schedule.js';
import { currentAttention } from '../engine/stall-policy.js';
import { findFreeWorkspaces, isRunning, type FreeWorkspaces } from '../engine/world-queries.js';
import type { Trust } from './load-settings.js';
import type { LiveWorld } from './live-world.js';

/** Tasks as every view shows them. */
export function taskViews(
  world: World,
  tasks: Iterable<TaskState>,
  moment: Moment,
): readonly TaskView[] {
  const free = findFreeWorkspaces(world);
  return Array.from(tasks, (task) => taskView(world, task, moment, free));
}

/** One task as every view shows it. */
export function taskView(
  world: World,
  task: TaskState,
  moment: Moment,
  free: FreeWorkspaces = findFreeWorkspaces(world),
): TaskView {
  const { fields, extensions } = task;
  const attention = currentAttention(task);
  const session = sessionState({
    tmuxSession: fields.tmux_session,
    isAlive: isRunning(task.worker) || isRunning(task.reviewer),
    status: fields.status,
  });
  return {
    fields,
    extensions,
    session,
    actions: task.problems.length > 0 ? [] : allowedActions(fields.status, session),
    reasons: reasonsOf(world, task, moment, free),
    attention: attention === null ? null : viewAttention(attention),
    problems: task.problems,
    status_since: task.statusSince,
  };
}

function reasonsOf(
  world: World,
  task: TaskState,
  moment: Moment,
  free: FreeWorkspaces,
): readonly WaitReason[] {
  const { status } = task.fields;
  if (status === 'pending') return explainWait(world, task, moment, free);
  if (status === 'stuck') {
    const because = task.stuckBecause ?? 'asked for a person';
    return [{ code: 'stuck', message: `${because}; then: orange task update --status working` }];
  }
  if (status === 'clarification') {
    return [{ code: 'question', message: 'the agent asks: see ## Questions in TASK.md' }];
  }
  if (status === 'reviewing') {
    const trouble = task.mergeTrouble;
    if (trouble !== null) return [{ code: 'merge-failed', message: trouble }];
    return [
      {
        code: 'review',
        message: 'waits for your review: merge it or send it back',
      },
    ];
  }
  if (task.startTrouble !== null) {
    return [{ code: 'start-failed', message: `could not start: ${task.startTrouble.reason}` }];
  }
  if (isTerminal(status)) return [];
  return [...explainRestart(task), ...attentionReasons(task)];
}

/** A quiet agent is shown; only one that is stalled or waits needs a person. */
function attentionReasons(task: TaskState): readonly WaitReason[] {
  const attention = currentAttention(task);
  if (attention === null || attention.kind === 'quiet') return [];
  const message = `${attention.reason}; see: orange task attach`;
  return [{ code: attention.kind, message }];
}

function viewAttention({ kind, since, reason }: Attention): AttentionView {
  return { kind, since, reason };
}

export function nextRows(world: World, moment: Moment): readonly NextRow[] {
  const free = findFreeWorkspaces(world);
  return pendingInOrder(world).map((task) => {
    const reasons = explainWait(world, task, moment, free);
    return { id: task.fields.id, eligible: reasons.length === 0, reasons };
  });
}

export function projectViews(
  world: World,
  trustOf: (name: string) => Trust,
): readonly ProjectView[] {
  return [...world.projects.values()].map(({ name, path, default_branch, pool_size }) => ({
    name,
    path,
    default_branch,
    pool_size,
    trusted: trustOf(name),
  }));
}

export function workspaceViews(
  world: LiveWorld,
  pathOf: (workspace: string) => string,
): readonly WorkspaceView[] {
  const holders = new Map<string, TaskState>();
  for (const task of world.tasks.values()) {
    const workspace = task.fields.workspace ?? task.reservedWorkspace;
    if (workspace !== null) holders.set(workspace, task);
  }
  const names = new Set([...world.worktrees, ...holders.keys(), ...world.quarantined]);
  return [...names].flatMap((workspace): readonly WorkspaceView[] => {
    const project = projectOf(world, workspace);
    if (project === null) return [];
    const holder = holders.get(workspace);
    const isQuarantined = world.quarantined.has(workspace) && holder === undefined;
    const idle = isQuarantined ? ('quarantined' as const) : ('available' as const);
    return [
      {
        workspace,
        project,
        slot: slotOf(project, workspace) ?? 0,
        status: holder === undefined ? idle : 'bound',
        task_id: holder?.fields.id ?? null,
        task: holder === undefined ? null : `${project}/${holder.fields.branch}`,
        path: pathOf(workspace),
      },
    ];
  });
}

/** The project a worktree belongs to; a project's name may itself contain `--`. */
export function projectOf(world: World, workspace: string): string | null {
  for (const name of world.projects.keys()) {
    if (slotOf(name, workspace) !== null) return name;
  }
  return null;
}
