import type { Attention } from '../domain/attention.js';
import type { Moment } from '../domain/observation.js';
import { slotOf } from '../domain/pool.js';
import { sessionState } from '../domain/session.js';
import { isGivenUp } from '../domain/set-aside.js';
import { isTerminal } from '../domain/status.js';
import { allowedActions } from '../domain/task-actions.js';
import { idsIn } from '../domain/task-relations.js';
import type {
  AttentionView,
  NextRow,
  ProjectView,
  TaskView,
  WorkspaceView,
} from '../domain/task-view.js';
import type { TaskState, World } from '../domain/world.js';
import { waitingGate } from '../engine/decide-gate.js';
import { explainTask, questionsOf } from '../engine/inbox.js';
import { explainWait, pendingInOrder } from '../engine/schedule.js';
import { currentAttention } from '../engine/stall-policy.js';
import { surveyQueue, type QueueOutlook } from '../engine/queue-outlook.js';
import { isRunning } from '../engine/world-queries.js';
import type { Trust } from './load-settings.js';
import type { LiveWorld } from './live-world.js';

/** Tasks as every view shows them. */
export function taskViews(
  world: World,
  tasks: Iterable<TaskState>,
  moment: Moment,
): readonly TaskView[] {
  const outlook = surveyQueue(world);
  return Array.from(tasks, (task) => taskView(world, task, moment, outlook));
}

/** One task as every view shows it. */
export function taskView(
  world: World,
  task: TaskState,
  moment: Moment,
  outlook: QueueOutlook = surveyQueue(world),
): TaskView {
  const { fields, extensions } = task;
  const attention = currentAttention(task);
  const mentions = idsIn(task.context);
  const session = sessionState({
    tmuxSession: fields.tmux_session,
    isAlive: isRunning(task.worker) || isRunning(task.reviewer),
    status: fields.status,
  });
  return {
    fields,
    extensions,
    session,
    actions: task.problems.length > 0 ? [] : actionsOf(world, task, session),
    reasons: explainTask(world, task, moment, outlook),
    questions: questionsOf(task),
    attention: attention === null ? null : viewAttention(attention),
    problems: task.problems,
    status_since: task.statusSince,
    ...(task.finalized === null ? {} : { finalized: task.finalized }),
    ...reviewerOf(world, task),
    ...(mentions.length === 0 ? {} : { mentions }),
    ...driftOf(task),
  };
}

function actionsOf(
  world: World,
  task: TaskState,
  session: TaskView['session'],
): TaskView['actions'] {
  const actions = allowedActions(task.fields.status, session);
  return waitingGate(world, task) === null ? actions : [...actions, 'approve', 'reject'];
}

function reviewerOf(world: World, { fields }: TaskState): Pick<TaskView, 'reviewer_missing'> {
  const isWanted = !isTerminal(fields.status);
  return isWanted && !world.installedHarnesses.has(fields.review_harness)
    ? { reviewer_missing: true }
    : {};
}

function driftOf({ reservation }: TaskState): Pick<TaskView, 'drift'> {
  const { drift } = reservation;
  return drift === null || drift.count === 0 ? {} : { drift };
}

function viewAttention({ kind, since, reason }: Attention): AttentionView {
  return { kind, since, reason };
}

export function nextRows(world: World, moment: Moment): readonly NextRow[] {
  const outlook = surveyQueue(world);
  return pendingInOrder(world, moment).map((task) => {
    const reasons = explainWait(world, task, moment, outlook);
    return { id: task.fields.id, eligible: reasons.length === 0, reasons };
  });
}

/** The ids of `nextRows`, for views that have the reasons with each task. */
export function queueOf(world: World, moment: Moment): readonly string[] {
  return pendingInOrder(world, moment).map(({ fields }) => fields.id);
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
  const names = new Set([...world.worktrees, ...holders.keys(), ...world.quarantined.keys()]);
  return [...names].flatMap((workspace): readonly WorkspaceView[] => {
    const project = projectOf(world, workspace);
    if (project === null) return [];
    const slot = slotOf(project, workspace) ?? 0;
    const use = useOf(world, workspace, holders.get(workspace));
    return [{ workspace, project, slot, ...use, path: pathOf(workspace) }];
  });
}

type Use = Pick<WorkspaceView, 'status' | 'task_id' | 'task' | 'set_aside'>;

/** Who has a worktree, if anybody has. */
function useOf(world: LiveWorld, workspace: string, holder: TaskState | undefined): Use {
  if (holder !== undefined) {
    const { id, project, branch } = holder.fields;
    return { status: 'bound', task_id: id, task: `${project}/${branch}` };
  }
  const withheld = world.withheld.get(workspace);
  if (withheld !== undefined) {
    return { status: 'bound', task_id: withheld.task_id ?? null, task: withheld.task };
  }
  const aside = world.quarantined.get(workspace);
  const nobody = { task_id: null, task: null };
  if (aside === undefined) return { status: 'available', ...nobody };
  const set_aside = { reason: aside.reason, given_up: isGivenUp(aside) };
  return { status: 'quarantined', ...nobody, set_aside };
}

/** The project a worktree belongs to; a project's name may itself contain `--`. */
export function projectOf(world: World, workspace: string): string | null {
  for (const name of world.projects.keys()) {
    if (slotOf(name, workspace) !== null) return name;
  }
  return null;
}
