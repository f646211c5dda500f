import { describeNeed } from '../domain/describe-need.js';
import {
  blockersOf,
  holdOf,
  isInBacklog,
  NOT_SPAWNED,
  PRIORITIES,
  priorityOf,
  textOf,
} from '../domain/extensions.js';
import type { Moment } from '../domain/observation.js';
import type { WaitReason } from '../domain/task-view.js';
import type { TaskState, World } from '../domain/world.js';
import { gateMode } from './gates.js';
import { findFreeWorkspaces, settingsFor, type FreeWorkspaces } from './world-queries.js';

/** The pending task to start next, or null when none can start now. */
export function nextToStart(world: World, moment: Moment): TaskState | null {
  const free = findFreeWorkspaces(world);
  const waiting = pendingInOrder(world);
  return waiting.find((task) => explainWait(world, task, moment, free).length === 0) ?? null;
}

/** Pending tasks in the order in which they get a slot: priority, then age, then id. */
export function pendingInOrder(world: World): readonly TaskState[] {
  const pending = [...world.tasks.values()].filter((task) => task.fields.status === 'pending');
  return pending.toSorted(
    (one, other) =>
      rank(one) - rank(other) ||
      compare(one.fields.created_at, other.fields.created_at) ||
      compare(one.fields.id, other.fields.id),
  );
}

/**
 * Every reason why a pending task does not start; none means that it starts now. Whoever asks for
 * many tasks hands in one `free` for all, since looking for a slot goes over every task.
 */
export function explainWait(
  world: World,
  task: TaskState,
  moment: Moment,
  free: FreeWorkspaces = findFreeWorkspaces(world),
): readonly WaitReason[] {
  return [
    ...fileReasons(task),
    ...wishReasons(world, task),
    ...blockerReasons(world, task),
    ...slotReasons(world, task, free),
    ...troubleReasons(task, moment),
  ];
}

/** Reasons that a slot becoming free would not lift. */
export function isHardReason(reason: WaitReason): boolean {
  return (
    reason.code !== 'pool-full' && reason.code !== 'start-failed' && reason.code !== 'starting'
  );
}

function fileReasons(task: TaskState): readonly WaitReason[] {
  const problem = task.problems[0];
  if (problem === undefined) return [];
  return [describeNeed({ kind: 'unreadable', problem: problem.message }, task.fields)];
}

function wishReasons(world: World, task: TaskState): readonly WaitReason[] {
  const reasons: WaitReason[] = [];
  const hold = holdOf(task.extensions);
  if (hold !== null) {
    const way = hold === NOT_SPAWNED ? ' (orange task spawn starts it)' : '';
    reasons.push({ code: 'held', message: `held: ${hold}${way}` });
  }
  if (isInBacklog(task.extensions)) reasons.push({ code: 'backlog', message: 'in the backlog' });
  const assignee = textOf(task.extensions['assignee']);
  if (assignee !== null) reasons.push({ code: 'assigned', message: `assigned to ${assignee}` });
  const settings = settingsFor(world, task.fields.project);
  const mode = gateMode(task, settings, 'start');
  if ((mode === 'human' || mode === 'ai') && !task.gates.isStartApproved) {
    reasons.push(describeNeed({ kind: 'start-gate' }, task.fields));
  }
  const { harness } = task.fields;
  if (!world.installedHarnesses.has(harness)) {
    reasons.push(describeNeed({ kind: 'harness-not-installed', harness }, task.fields));
  }
  return reasons;
}

function blockerReasons(world: World, task: TaskState): readonly WaitReason[] {
  return blockersOf(task.extensions).flatMap((id): readonly WaitReason[] => {
    const status = world.tasks.get(id)?.fields.status;
    if (status === 'done') return [];
    if (status === undefined || status === 'cancelled') {
      const need = { kind: 'dead-end', blocker: id, isCancelled: status !== undefined } as const;
      return [describeNeed(need, task.fields)];
    }
    return [{ code: 'blocked', message: `blocked by ${id} (${status})` }];
  });
}

function slotReasons(world: World, task: TaskState, free: FreeWorkspaces): readonly WaitReason[] {
  const { project: name } = task.fields;
  const project = world.projects.get(name);
  if (project === undefined) {
    return [describeNeed({ kind: 'project-missing' }, task.fields)];
  }
  if (task.activity !== null) return [{ code: 'starting', message: 'being started' }];
  if (free(name) !== null) return [];
  const size = project.pool_size;
  const which = size === 1 ? 'the only worktree' : `all ${size} worktrees`;
  const message = `${which} of ${name} ${size === 1 ? 'is' : 'are'} in use: merge or cancel a task, or: orange project update ${name} --pool-size ${size + 1}`;
  return [{ code: 'pool-full', message }];
}

function troubleReasons(task: TaskState, moment: Moment): readonly WaitReason[] {
  const trouble = task.startTrouble;
  if (trouble === null || moment.monotonicMs >= trouble.retryAtMs) return [];
  return [describeNeed({ kind: 'start-failed', reason: trouble.reason }, task.fields)];
}

function rank(task: TaskState): number {
  return PRIORITIES.indexOf(priorityOf(task.extensions));
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
