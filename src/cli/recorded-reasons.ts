import { blockersOf, holdOf, isInBacklog } from '../domain/extensions.js';
import type { Status } from '../domain/status.js';
import type { WaitReason } from '../domain/task-view.js';
import type { TaskRecord } from '../domain/task.js';

/** Why a pending task waits, as far as the record alone can say. */
export function recordedReasons(
  task: Pick<TaskRecord, 'fields' | 'extensions'>,
  statusOf: (id: string) => Status | undefined,
): readonly WaitReason[] {
  if (task.fields.status !== 'pending') return [];
  const hold = holdOf(task.extensions);
  return [
    ...(hold === null ? [] : [{ code: 'held', message: `held: ${hold}` }]),
    ...(isInBacklog(task.extensions) ? [{ code: 'backlog', message: 'in the backlog' }] : []),
    ...blockersOf(task.extensions).flatMap((id) => blockerReason(id, statusOf(id))),
  ];
}

function blockerReason(id: string, status: Status | undefined): readonly WaitReason[] {
  if (status === 'done') return [];
  if (status === undefined) {
    return [{ code: 'dead-end', message: `blocked by ${id}, which does not exist` }];
  }
  if (status === 'cancelled') {
    return [{ code: 'dead-end', message: `blocked by ${id}, which was cancelled` }];
  }
  return [{ code: 'blocked', message: `blocked by ${id} (${status})` }];
}
