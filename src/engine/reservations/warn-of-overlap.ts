import type { Decision } from '../../domain/decision.js';
import type { EventDraft } from '../../domain/history-event.js';
import type { TaskState, World } from '../../domain/world.js';
import { decideUpdate } from '../update-task.js';
import { settingsFor } from '../world-queries.js';
import { tellOfOverlap } from './hold-plan.js';
import { reservationsOf, type Overlap } from './reservations.js';

/**
 * The next task that has to hear that another one changes the same files. Each of the two hears it,
 * and each of them once: the history remembers whom a task was warned of.
 */
export function warnNext(world: World): Decision | null {
  const reservations = reservationsOf(world);
  for (const { id } of reservations.holders) {
    const overlaps = reservations.overlapsOf(id);
    const task = overlaps.length === 0 ? undefined : world.tasks.get(id);
    if (task === undefined || task.activity !== null || task.problems.length > 0) continue;
    const news = overlaps.filter((overlap) => !task.reservation.warnedOf.includes(overlap.id));
    if (news.length > 0) return warn(world, task, news);
  }
  return null;
}

function warn(world: World, task: TaskState, news: readonly Overlap[]): Decision {
  const { mode } = settingsFor(world, task.fields.project).policy.reservations;
  const events = news.map(
    ({ id, holder, paths }): EventDraft => ({
      type: 'reservation.conflict',
      with: id,
      holder,
      paths,
      mode,
    }),
  );
  const warnedOf = [...task.reservation.warnedOf, ...news.map(({ id }) => id)];
  const runtime = { reservation: { ...task.reservation, warnedOf } };
  return decideUpdate(task, { events, runtime }, tellOfOverlap(task, news));
}
