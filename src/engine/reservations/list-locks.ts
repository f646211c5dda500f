import type { LockView, ManualLock, OverlapView } from '../../domain/lock.js';
import type { World } from '../../domain/world.js';
import { settingsFor } from '../world-queries.js';
import { declaredPaths, reservationsOf, type Holder, type Overlap } from './reservations.js';
import { readScopes } from './scope.js';

/** When a lease of so many minutes ends if nobody renews it; null: never. */
type LeaseEnd = (ttlMinutes: number) => string | null;

/** Everything that is held, with when its lease ends if nobody renews it. */
export function listLocks(world: World, leaseEnd: LeaseEnd): readonly LockView[] {
  const { holders } = reservationsOf(world);
  return holders.map((holder) =>
    holder.lock === null ? viewPlan(world, holder, leaseEnd) : viewLock(world, holder, holder.lock),
  );
}

function viewPlan(
  world: World,
  { id, project, name, scopes }: Holder,
  leaseEnd: LeaseEnd,
): LockView {
  const task = world.tasks.get(id);
  return {
    id,
    kind: 'plan',
    project,
    task_id: id,
    holder: name,
    status: task?.fields.status ?? null,
    paths: scopes.map(({ text }) => text),
    since: task?.statusSince ?? '',
    expires_at: leaseEnd(settingsFor(world, project).policy.reservations.ttlMinutes),
    overlaps: reservationsOf(world).overlapsOf(id).map(viewOverlap),
    drift: task?.reservation.drift?.count ?? 0,
  };
}

function viewLock(world: World, { id, project, name, scopes }: Holder, lock: ManualLock): LockView {
  const owner = lock.taskId ?? id;
  return {
    id,
    kind: 'manual',
    project,
    task_id: lock.taskId,
    holder: name,
    status: null,
    paths: scopes.map(({ text }) => text),
    since: lock.since,
    expires_at: lock.expiresAt,
    overlaps: reservationsOf(world).find({ id: owner, project, scopes }).map(viewOverlap),
    drift: 0,
  };
}

/** Who has something of these paths, or of what a task declares; the task itself does not count. */
export function checkLocks(
  world: World,
  question: {
    readonly project: string;
    readonly taskId: string | null;
    readonly paths: readonly string[];
  },
): readonly OverlapView[] {
  const { project, taskId, paths } = question;
  const task = taskId === null ? undefined : world.tasks.get(taskId);
  const declared = paths.length > 0 || task === undefined ? paths : declaredPaths(task);
  const scopes = readScopes(declared);
  return reservationsOf(world)
    .find({ id: taskId ?? '', project, scopes })
    .map(viewOverlap);
}

function viewOverlap({ id, taskId, holder, paths, held }: Overlap): OverlapView {
  return { id, task_id: taskId, holder, paths, held };
}
