import type { Moment } from '../domain/observation.js';
import { isTerminal } from '../domain/status.js';
import type { World } from '../domain/world.js';
import { surveyQueue } from '../engine/queue-outlook.js';
import type { NoticeBoard } from './notice-board.js';
import { taskNeeds } from './task-needs.js';

/** Has a person told of what came about without a decision that says so; the board knows what it told. */
export function postFoundNeeds(
  world: World,
  notices: Pick<NoticeBoard, 'postNeed'>,
  moment: Moment,
): void {
  const outlook = surveyQueue(world);
  for (const task of world.tasks.values()) {
    if (isTerminal(task.fields.status)) continue;
    for (const need of taskNeeds(world, task, moment, outlook)) {
      if (FOUND.has(need.code)) notices.postNeed(task.fields.id, need);
    }
  }
}

/** What no decision tells of, or not each time. */
const FOUND: ReadonlySet<string> = new Set(['question']);
