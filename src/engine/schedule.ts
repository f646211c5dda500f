import { describeNeed, needFor } from '../domain/describe-need.js';
import {
  budgetOf,
  holdOf,
  isInBacklog,
  NOT_SPAWNED,
  PRIORITIES,
  priorityOf,
  textOf,
} from '../domain/extensions.js';
import { instantOf } from '../domain/instant.js';
import type { Moment } from '../domain/observation.js';
import type { WaitReason } from '../domain/task-view.js';
import type { TaskState, World } from '../domain/world.js';
import { explainBlockers } from './explain-blockers.js';
import { explainReservation } from './reservations/explain-reservation.js';
import { gateMode } from './gates.js';
import { surveyQueue, type QueueOutlook } from './queue-outlook.js';
import { settingsFor, type FreeWorkspaces } from './world-queries.js';

/** The pending task to start next, or null when none can start now. */
export function nextToStart(world: World, moment: Moment): TaskState | null {
  const outlook = surveyQueue(world);
  const waiting = pendingInOrder(world, moment);
  return waiting.find((task) => explainWait(world, task, moment, outlook).length === 0) ?? null;
}

/** Pending tasks in the order in which they get a slot: priority, then age, then id. */
export function pendingInOrder(world: World, moment: Moment): readonly TaskState[] {
  const pending = [...world.tasks.values()].filter((task) => task.fields.status === 'pending');
  const ranks = new Map(pending.map((task) => [task, rank(world, task, moment)]));
  return pending.toSorted(
    (one, other) =>
      (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0) ||
      compare(one.fields.created_at, other.fields.created_at) ||
      compare(one.fields.id, other.fields.id),
  );
}

/**
 * Every reason why a pending task does not start; none means that it starts now. Whoever asks for
 * many tasks hands in one outlook for all, since making it goes over every task.
 */
export function explainWait(
  world: World,
  task: TaskState,
  moment: Moment,
  outlook: QueueOutlook = surveyQueue(world),
): readonly WaitReason[] {
  return [
    ...fileReasons(task),
    ...wishReasons(world, task),
    ...explainBlockers(world, task, outlook),
    ...explainReservation(world, task),
    ...slotReasons(world, task, outlook.free),
    ...limitReasons(task, outlook),
    ...troubleReasons(world, task, moment),
  ];
}

/** Reasons that a slot becoming free would not lift. */
export function isHardReason(reason: WaitReason): boolean {
  return !SOFT_REASONS.has(reason.code);
}

const SOFT_REASONS: ReadonlySet<string> = new Set([
  'pool-full',
  'global-limit',
  'start-failed',
  'starting',
]);

function fileReasons(task: TaskState): readonly WaitReason[] {
  const problem = task.problems[0];
  if (problem === undefined) return [];
  return [describeNeed(needFor(problem), task.fields, task.unreadableSince)];
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
  if (budgetOf(task.extensions) === 0) {
    reasons.push(describeNeed({ kind: 'budget' }, task.fields));
  }
  const { harness } = task.fields;
  if (!world.installedHarnesses.has(harness)) {
    reasons.push(describeNeed({ kind: 'harness-not-installed', harness }, task.fields));
  }
  return reasons;
}

function slotReasons(world: World, task: TaskState, free: FreeWorkspaces): readonly WaitReason[] {
  const { project: name } = task.fields;
  const project = world.projects.get(name);
  if (project === undefined) {
    return [describeNeed({ kind: 'project-missing' }, task.fields)];
  }
  if (task.activity !== null) {
    const step = world.steps?.get(task.fields.id);
    const message = step === undefined ? 'being started' : `being started: ${step}`;
    return [{ code: 'starting', message }];
  }
  if (free(name) !== null) return [];
  const size = project.pool_size;
  const which = size === 1 ? 'the only worktree' : `all ${size} worktrees`;
  const message = `${which} of ${name} ${size === 1 ? 'is' : 'are'} in use: merge or cancel a task, or: orange project update ${name} --pool-size ${size + 1}`;
  return [{ code: 'pool-full', message }];
}

function limitReasons({ activity }: TaskState, { active }: QueueOutlook): readonly WaitReason[] {
  const { count, max } = active;
  if (activity !== null || max === null || count < max) return [];
  const message = `${count} of at most ${max} tasks are at work (queue.max_active_tasks in config.yaml)`;
  return [{ code: 'global-limit', message }];
}

function troubleReasons(world: World, task: TaskState, moment: Moment): readonly WaitReason[] {
  const trouble = task.startTrouble;
  if (trouble === null || moment.monotonicMs >= trouble.retryAtMs) return [];
  const { reason, since, heldBy = null } = trouble;
  if (heldBy !== null && !world.quarantined.has(heldBy)) return [];
  return [describeNeed({ kind: 'start-failed', reason }, task.fields, since)];
}

const DAY_MS = 86_400_000;

/** The place of its priority; with the starvation guard each day of waiting counts for one step. */
function rank(world: World, task: TaskState, { nowMs }: Moment): number {
  const own = PRIORITIES.indexOf(priorityOf(task.extensions));
  const since = instantOf(task.statusSince);
  if (since === null || !settingsFor(world, '').queue.starvationGuard) return own;
  return Math.max(0, own - Math.max(0, Math.floor((nowMs - since) / DAY_MS)));
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
