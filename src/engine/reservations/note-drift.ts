import { NOTHING, type Decision } from '../../domain/decision.js';
import type { Effect } from '../../domain/effect.js';
import type { Drift } from '../../domain/lock.js';
import type { Observation } from '../../domain/observation.js';
import type { Status } from '../../domain/status.js';
import type { TaskState } from '../../domain/world.js';
import { decideUpdate } from '../update-task.js';
import { declaredPaths } from './reservations.js';
import { ScopeIndex } from './scope-index.js';
import { filePattern, readScopes } from './scope.js';

/**
 * Compares what a task has changed with what it declared. What it did not declare it holds from now
 * on all the same, so others hear of it; it never waits for that itself.
 */
export function noteDrift(
  task: TaskState,
  { paths }: Extract<Observation, { kind: 'diff-seen' }>,
): Decision {
  const drift = findDrift(declaredPaths(task), paths);
  if (drift === null || isSame(task.reservation.drift, drift)) return NOTHING;
  return decideUpdate(task, {
    events: [{ type: 'touch.drift', count: drift.count, paths: drift.paths }],
    runtime: { reservation: { ...task.reservation, drift } },
  });
}

/** The files that nothing declared covers; null where nothing was declared that could. */
export function findDrift(declared: readonly string[], changed: readonly string[]): Drift | null {
  const scopes = readScopes(declared).filter(({ kind }) => kind === 'paths');
  if (scopes.length === 0) return null;
  const index = new ScopeIndex();
  index.add('declared', scopes);
  const beyond = changed.filter((path) => path !== 'TASK.md' && !index.covers(filePattern(path)));
  return { paths: beyond.slice(0, MOST_PATHS), count: beyond.length };
}

/** Has the diff looked at when the work of a task that declared something is handed over. */
export function measureOnHandoff(task: TaskState, to: Status): readonly Effect[] {
  const isHandoff = to === 'agent-review' || to === 'reviewing';
  if (task.fields.status !== 'working' || !isHandoff || declaredPaths(task).length === 0) return [];
  return [{ kind: 'measure-drift', taskId: task.fields.id }];
}

const MOST_PATHS = 50;

function isSame(one: Drift | null, other: Drift): boolean {
  if (one === null) return other.count === 0;
  return one.count === other.count && one.paths.join('\n') === other.paths.join('\n');
}
