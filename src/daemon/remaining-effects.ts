import type { Effect, StartAgent } from '../domain/effect.js';
import type { HistoryEvent } from '../domain/history-event.js';
import { isTerminal } from '../domain/status.js';
import type { World } from '../domain/world.js';
import type { LaunchRecords } from '../ports.js';

/**
 * What is left to do of an entry that an earlier daemon did not settle. Effects are carried out in
 * order, so what comes before a start that has happened is done; a start whose event is recorded is
 * done itself. Nothing is done twice that would hurt somebody the second time.
 */
export function remainingEffects(
  owed: { readonly effects: readonly Effect[]; readonly events: readonly HistoryEvent[] },
  world: World,
  launches: LaunchRecords,
): readonly Effect[] {
  const recorded = new Set(owed.events.map((event) => event['launch']));
  const { effects } = owed;
  const lastRecorded = effects.findLastIndex(
    (effect) => effect.kind === 'start-agent' && recorded.has(effect.launchId),
  );
  const lastBegun = effects.findLastIndex(
    (effect) => effect.kind === 'start-agent' && hasBegun(launches, effect),
  );
  const left = effects.slice(Math.max(lastRecorded + 1, lastBegun, 0));
  return left.filter((effect) => !isOver(world, effect));
}

function hasBegun(launches: LaunchRecords, { taskId, window, launchId }: StartAgent): boolean {
  const read = launches.read(taskId, window);
  return read.ok && read.value?.launchId === launchId;
}

function isOver(world: World, effect: Effect): boolean {
  const fields = world.tasks.get(effect.taskId)?.fields;
  if (fields === undefined) return true;
  if (effect.kind === 'rename-branch') return fields.branch === effect.to;
  if (effect.kind === 'merge-branch') return fields.status !== 'reviewing';
  if (effect.kind === 'run-checks') return fields.status !== 'working';
  if (effect.kind === 'finalize') return isTerminal(fields.status);
  if (effect.kind === 'open-pull-request') return isTerminal(fields.status);
  if (effect.kind === 'delete-branch') return isTakenUp(world, effect);
  if (effect.kind !== 'release-workspace') return false;
  return isHeldByAnother(world, effect.workspace, effect.taskId);
}

/** A branch that another task has taken up since is no longer this one's to remove. */
function isTakenUp(world: World, { taskId, branch }: Extract<Effect, { kind: 'delete-branch' }>) {
  const project = world.tasks.get(taskId)?.fields.project;
  return [...world.tasks.values()].some(
    ({ fields }) =>
      fields.id !== taskId &&
      fields.project === project &&
      fields.branch === branch &&
      !isTerminal(fields.status),
  );
}

/** A worktree that was released and given away again is no longer this task's to clean. */
function isHeldByAnother(world: World, workspace: string, taskId: string): boolean {
  return [...world.tasks.values()].some(
    ({ fields, reservedWorkspace }) =>
      fields.id !== taskId && (fields.workspace === workspace || reservedWorkspace === workspace),
  );
}
