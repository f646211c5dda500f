import type { Moment } from '../domain/observation.js';
import { isTerminal } from '../domain/status.js';
import { surveyQueue } from '../engine/queue-outlook.js';
import type { Paths } from '../record/paths.js';
import type { LiveWorld } from './live-world.js';
import type { NoticeBoard } from './notice-board.js';
import { isToldByDecision, placeNeeds, taskNeeds } from './task-needs.js';

/**
 * Has a person told of what is in the inbox though no decision told of it, such as a file that cannot
 * be read. The board knows what was told before.
 */
export function postFoundNeeds(
  { home, world }: { readonly home: { readonly paths: Paths }; readonly world: LiveWorld },
  notices: Pick<NoticeBoard, 'postNeed'>,
  moment: Moment,
): void {
  const pathOf = (workspace: string): string => home.paths.workspace(workspace);
  const outlook = surveyQueue(world);
  for (const task of world.tasks.values()) {
    if (isTerminal(task.fields.status)) continue;
    for (const need of taskNeeds(world, task, moment, outlook)) {
      if (!isToldByDecision(need.code)) notices.postNeed(task.fields.id, need);
    }
  }
  for (const [path, { needs }] of placeNeeds(world, pathOf)) {
    for (const need of needs) notices.postNeed(path, need);
  }
}
