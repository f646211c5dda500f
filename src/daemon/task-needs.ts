import { dateReason } from '../domain/date-reason.js';
import { describeNeed } from '../domain/describe-need.js';
import { inboxOf } from '../domain/inbox.js';
import type { Moment } from '../domain/observation.js';
import type { TaskState, World } from '../domain/world.js';
import { explainTask, questionsOf } from '../engine/inbox.js';
import type { QueueOutlook } from '../engine/queue-outlook.js';
import { workspaceViews } from './build-view.js';
import type { LiveWorld } from './live-world.js';
import type { Subject, TaskNeed } from './notice-board.js';

/** What a task needs a person for, as a notice says it and tells one cause from the next. */
export function taskNeeds(
  world: World,
  task: TaskState,
  moment: Moment,
  outlook?: QueueOutlook,
): readonly TaskNeed[] {
  return explainTask(world, task, moment, outlook).flatMap((reason): readonly TaskNeed[] => {
    if (reason.settle === undefined) return [];
    const { code, message: text, since = task.statusSince } = dateReason(reason, moment.nowMs);
    if (code === 'question') return [newestFirst(task, { code, since, text })];
    return [isToldByDecision(code) ? { code, since, text } : lasting(code, text)];
  });
}

/** A further question is news though the task waits as before: it comes first, and by its number. */
function newestFirst(task: TaskState, need: TaskNeed): TaskNeed {
  const open = questionsOf(task).toReversed();
  const last = Math.max(0, ...task.artifacts.questions.map(({ number }) => number));
  const about = last > 1 ? { about: String(last) } : {};
  const text =
    open.length > 1 ? describeNeed({ kind: 'question', open }, task.fields).message : need.text;
  return { ...need, ...about, text };
}

/** Files and worktrees that are no task's and wait for a person, by their paths. */
export function placeNeeds(
  world: LiveWorld,
  pathOf: (workspace: string) => string,
): ReadonlyMap<string, Subject> {
  const problems = [...world.problems.values()].flat();
  const workspaces = workspaceViews(world, pathOf);
  const places = new Map<string, Subject>();
  for (const { code, message, file } of inboxOf({ tasks: [], problems, workspaces })) {
    if (file === null) continue;
    const needs = [...(places.get(file)?.needs ?? []), lasting(code, message)];
    places.set(file, { name: file, taskId: null, needs });
  }
  return places;
}

/** What is found to be so; when that began may look different to the next daemon. */
function lasting(code: string, text: string): TaskNeed {
  return { code, since: '', text, about: TOLD_BY_WORDS.has(code) ? text : code };
}

/** What is another cause as soon as it says something else. */
const TOLD_BY_WORDS: ReadonlySet<string> = new Set([
  'edit-kept',
  'dead-end',
  'cycle',
  'harness-not-installed',
]);

/** Whether a decision has a person told when it comes about, or nobody needs to be. */
export function isToldByDecision(code: string): boolean {
  return TOLD_BY_DECISION.has(code);
}

const TOLD_BY_DECISION: ReadonlySet<string> = new Set([
  'review',
  'stuck',
  'plan-gate',
  'start-failed',
  'crashed',
  'interrupted',
  'stalled',
  'waiting-for-human',
  'undelivered',
  'pr-feedback',
  'pr-closed-with-commits',
  // It goes on by itself.
  'reserved',
]);
