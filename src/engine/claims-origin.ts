import type { Claims, OwnWrite, TaskState, World } from '../domain/world.js';

/** Where a file comes from that differs from the record; null is an edit of the task's own. */
export type Origin = 'stale copy' | 'another task’s file' | null;

/** A copy of which is known what it began from is its writer's edit like any other. */
export function originOf(world: World, task: TaskState, claims: Claims): Origin {
  const { fields } = claims;
  const { id, branch, created_at: createdAt } = task.fields;
  // Who only mistook the id wrote this task's own file.
  const isOwn = fields.id === id || (fields.branch === branch && fields.created_at === createdAt);
  if (!isOwn && world.tasks.has(fields.id)) return 'another task’s file';
  const isStale = fields.updated_at < task.fields.updated_at;
  return isStale && baseOfCopy(task, fields) === null ? 'stale copy' : null;
}

/** What a copy from before the last write began from; null for any other, and where nobody knows. */
export function baseOfCopy(
  task: TaskState,
  { updated_at: updatedAt }: Pick<TaskState['fields'], 'updated_at'>,
): OwnWrite | null {
  return updatedAt < task.fields.updated_at ? ownWriteOf(task, updatedAt) : null;
}

/**
 * Whether a status that was asked for in a copy may still be meant: the task has not moved since, but
 * perhaps from planning to working, which is one stretch of work.
 */
export function isStillMeant({ fields, ownWrites = [] }: TaskState, base: OwnWrite): boolean {
  if (base.fields.review_round !== fields.review_round) return false;
  const since = ownWrites.slice(ownWrites.indexOf(base)).map(({ status }) => status);
  return [...since, fields.status].every(
    (status) => status === base.status || (base.status === 'planning' && status === 'working'),
  );
}

/** Who may be meant to have written a file; of another task's nobody meant anything. */
export type Writer = 'user' | 'agent' | 'nobody';

/** Whom its claims are judged as. */
export function writerOf(origin: Origin, isUnattended: boolean): Writer {
  if (origin === 'another task’s file') return 'nobody';
  return isUnattended ? 'user' : 'agent';
}

/** What the file said when orange wrote the `updated_at` that a copy shows; null where nobody knows. */
function ownWriteOf({ ownWrites = [] }: TaskState, updatedAt: string): OwnWrite | null {
  return ownWrites.find(({ fields }) => fields.updated_at === updatedAt) ?? null;
}

/** Whether orange cannot have written an `updated_at`, so that it says nothing of a copy's age. */
export function isForeignTime(task: TaskState, updatedAt: string): boolean {
  const [oldest] = task.ownWrites ?? [];
  if (oldest === undefined) return updatedAt > task.fields.updated_at;
  return updatedAt > oldest.fields.updated_at && ownWriteOf(task, updatedAt) === null;
}
