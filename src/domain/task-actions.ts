import type { SessionState } from './session.js';
import type { Status } from './status.js';

export const TASK_ACTIONS = [
  'spawn',
  'attach',
  'respawn',
  'send',
  'ask',
  'answer',
  'review',
  'request-changes',
  'approve',
  'reject',
  'hold',
  'release',
  'requeue',
  'cancel',
  'finalize',
  'merge',
  'delete',
  'reopen',
] as const;
export type TaskAction = (typeof TASK_ACTIONS)[number];

/**
 * What a person may do with a task: the one table of status × session that CLI, dashboard and daemon share.
 *
 *   status          active                      crashed / inactive
 *   pending         –                           spawn, hold, release, delete
 *   planning …      attach, send, respawn, ask  respawn, ask
 *   … and working   … and requeue               … and requeue
 *   clarification   … and answer                … and answer
 *   stuck           … and request-changes       … and request-changes
 *   reviewing       attach, send, review, request-changes, merge   respawn, review, request-changes, merge
 *   done/cancelled  –                           reopen, delete
 */
export function allowedActions(status: Status, session: SessionState): readonly TaskAction[] {
  const live: readonly TaskAction[] =
    session === 'active' ? ['attach', 'send', 'respawn'] : ['respawn'];
  switch (status) {
    case 'pending':
      return ['spawn', 'hold', 'release', 'cancel', 'delete'];
    case 'planning':
    case 'working':
      return [...live, 'ask', 'requeue', 'cancel'];
    case 'clarification':
      return [...live, 'ask', 'answer', 'cancel'];
    case 'stuck':
      return [...live, 'request-changes', 'cancel'];
    case 'agent-review':
      return [...live, 'review', 'cancel'];
    case 'reviewing':
      return [...live, 'review', 'request-changes', 'finalize', 'merge', 'cancel'];
    case 'done':
    case 'cancelled':
      return ['reopen', 'delete'];
  }
}
