import { dateReason } from '../domain/date-reason.js';
import { describeNeed } from '../domain/describe-need.js';
import type { Moment } from '../domain/observation.js';
import type { TaskState, World } from '../domain/world.js';
import { explainTask, questionsOf } from '../engine/inbox.js';
import type { QueueOutlook } from '../engine/queue-outlook.js';
import type { TaskNeed } from './notice-board.js';

/** What a task needs a person for, as a notice says it and tells one cause from the next. */
export function taskNeeds(
  world: World,
  task: TaskState,
  moment: Moment,
  outlook?: QueueOutlook,
): readonly TaskNeed[] {
  return explainTask(world, task, moment, outlook).flatMap((reason): readonly TaskNeed[] => {
    if (reason.settle === undefined) return [];
    const { code, message, since = task.statusSince } = dateReason(reason, moment.nowMs);
    const need = { code, since, text: message };
    return [code === 'question' ? newestFirst(task, need) : need];
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
