import type { Decision } from '../domain/decision.js';
import type { Effect } from '../domain/effect.js';
import type { Failure } from '../domain/failure.js';
import type { Actor, TaskRequest } from '../domain/request.js';
import type { TaskState, World } from '../domain/world.js';
import { refuseAction, type Asked } from './refuse-action.js';
import { decideUpdate, refuse } from './update-task.js';
import { settingsFor } from './world-queries.js';

type MergeWish = Partial<Omit<Extract<TaskRequest, { kind: 'task.merge' }>, 'kind' | 'taskId'>>;

/** `task merge`: begins the merge; what comes of it is settled when it has been tried. */
export function mergeTask(
  world: World,
  task: TaskState,
  request: Extract<TaskRequest, { kind: 'task.merge' }>,
  asked: Asked,
): Decision {
  const refusal =
    refuseAction(task, 'merge', asked) ??
    refuseUnreadable(task) ??
    refuseOpenPullRequest(task, request);
  if (refusal !== null) return refuse(refusal, task.fields.id);
  return decideUpdate(task, { runtime: { activity: 'merging', mergeTrouble: null } }, [
    planMerge(world, task, asked.actor, request),
  ]);
}

/** What comes of a merge has to be written into the task's file, and the base cannot be moved back. */
function refuseUnreadable({ problems }: TaskState): Failure | null {
  return problems.length === 0 ? null : { kind: 'file-rejected', diagnostics: problems };
}

/** The merge as the settings want it, unless the wish says otherwise. */
export function planMerge(
  world: World,
  task: TaskState,
  askedBy: Actor,
  wish: MergeWish = {},
): Effect {
  const { merge } = settingsFor(world, task.fields.project);
  return {
    kind: 'merge-branch',
    taskId: task.fields.id,
    askedBy,
    strategy: wish.strategy ?? merge.strategy,
    push: wish.push ?? merge.push,
    message: wish.message ?? null,
    heads: wish.anyway === true ? 'any' : 'as-reviewed',
  };
}

/** Work that is being judged elsewhere is merged here only by somebody who says so. */
export function refuseOpenPullRequest(task: TaskState, wish: MergeWish = {}): Failure | null {
  const { pr_url: url } = task.fields;
  const state = task.extensions['pr_state'];
  const isOver = typeof state === 'string' && /^(merged|closed)$/i.test(state);
  return url === null || isOver || wish.local === true ? null : { kind: 'pr-open', url };
}
