import { describeNeed, nameForCommand } from '../../domain/describe-need.js';
import type { WaitReason } from '../../domain/task-view.js';
import type { TaskState, World } from '../../domain/world.js';
import { inTheWay } from './hold-plan.js';
import { reservationsOf, type Overlap } from './reservations.js';

/** What has to be said of a task because of what others hold: that it waits, or is not alone. */
export function explainReservation(world: World, task: TaskState): readonly WaitReason[] {
  const { status } = task.fields;
  if (status === 'pending') return explainWaiting(world, task);
  if (status === 'planning') {
    const { deniedSince } = task.reservation;
    return deniedSince === null ? [] : explainDenied(world, task, deniedSince);
  }
  const overlaps = reservationsOf(world).overlapsOf(task.fields.id);
  if (overlaps.length === 0) return [];
  return [{ code: 'overlap', message: `changes the same files as ${describeOverlaps(overlaps)}` }];
}

function explainWaiting(world: World, task: TaskState): readonly WaitReason[] {
  const others = inTheWay(world, task);
  if (others.length === 0) return [];
  return [{ code: 'reserved', message: `waits for files of ${describeOverlaps(others)}` }];
}

function explainDenied(world: World, task: TaskState, since: string): readonly WaitReason[] {
  const others = inTheWay(world, task);
  const [first] = others;
  if (first === undefined) return [];
  const holder = first.taskId === null ? undefined : world.tasks.get(first.taskId);
  const need = {
    kind: 'reserved',
    others: describeOverlaps(others),
    settle: settleBy(first, holder),
  } as const;
  return [describeNeed(need, task.fields, since)];
}

/** What a person can do about it: merge what is ready, or take it from its holder. */
function settleBy(overlap: Overlap, holder: TaskState | undefined): string {
  if (holder === undefined) return `orange locks release ${overlap.id}`;
  const name = nameForCommand(holder.fields);
  return holder.fields.status === 'reviewing'
    ? `orange task merge ${name}`
    : `orange locks release --task ${name}`;
}

function describeOverlaps(overlaps: readonly Overlap[]): string {
  return overlaps.map(({ holder, paths }) => `${holder} (${describePaths(paths)})`).join(', ');
}

const SHOWN = 3;

function describePaths(paths: readonly string[]): string {
  const shown = paths.slice(0, SHOWN).join(', ');
  return paths.length > SHOWN ? `${shown} and ${paths.length - SHOWN} more` : shown;
}
