import type { World } from '../domain/world.js';
import { missedAgent, staysDown } from '../engine/explain-restart.js';
import type { NoticeBoard } from './notice-board.js';

/**
 * Has a person told of agents that stay down, as the policy may have been another one when they
 * ended. The board knows what was told before.
 */
export function postLeftDown(
  world: Pick<World, 'tasks'>,
  notices: Pick<NoticeBoard, 'post'>,
): void {
  for (const task of world.tasks.values()) {
    if (!staysDown(task)) continue;
    const isInterrupted = missedAgent(task)?.exit.interruptedBy !== undefined;
    notices.post(task.fields.id, isInterrupted ? 'interrupted' : 'crashed');
  }
}
