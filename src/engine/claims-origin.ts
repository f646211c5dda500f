import type { Claims, TaskState, World } from '../domain/world.js';

/** Where a file comes from that differs from the record; null is an edit of the task's own. */
export type Origin = 'stale copy' | 'another task’s file' | null;

export function originOf(world: World, task: TaskState, { fields }: Claims): Origin {
  const { id, branch, created_at: createdAt } = task.fields;
  // Who only mistook the id wrote this task's own file.
  const isOwn = fields.id === id || (fields.branch === branch && fields.created_at === createdAt);
  if (!isOwn && world.tasks.has(fields.id)) return 'another task’s file';
  return fields.updated_at < task.fields.updated_at ? 'stale copy' : null;
}

/** Who may be meant to have written a file; of another task's nobody meant anything. */
export type Writer = 'user' | 'agent' | 'nobody';

/** Whom its claims are judged as. */
export function writerOf(origin: Origin, isUnattended: boolean): Writer {
  if (origin === 'another task’s file') return 'nobody';
  return isUnattended ? 'user' : 'agent';
}
