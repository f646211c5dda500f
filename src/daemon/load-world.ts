import { isAboutUnreadHistory, type Diagnostic } from '../domain/diagnostic.js';
import type { Effect } from '../domain/effect.js';
import type { HistoryEvent } from '../domain/history-event.js';
import { neededRole } from '../domain/session.js';
import { isTerminal } from '../domain/status.js';
import type { TaskFields } from '../domain/task.js';
import { success, type Result } from '../domain/result.js';
import { ABSENT, type AgentState, type TaskState } from '../domain/world.js';
import { findClaims } from '../engine/find-claims.js';
import { respawnTime } from '../engine/crash-policy.js';
import { creationEvent } from '../engine/create-task.js';
import { isSame } from '../engine/deliver-message.js';
import { noteEnd } from '../engine/note-end.js';
import { REPLAYED_TYPES, replayHistory } from '../engine/replay-history.js';
import { restoreRestarts } from '../engine/restart-policy.js';
import { restoreTask } from '../engine/restore-task.js';
import { settingsFor } from '../engine/world-queries.js';
import type { FileContent, TaskFileObserver } from '../observe/task-file-observer.js';
import { restoreAgents } from '../observe/restore-agents.js';
import { isProjectName, isTaskId } from '../domain/task-id.js';
import type { Clock, Files, LaunchRecords } from '../ports.js';
import { diagnoseHistory, diagnoseUnreadHistory } from '../record/fields-from-history.js';
import { formatEvent, type HistoryLog } from '../record/history-log.js';
import type { Paths } from '../record/paths.js';
import type { LoadedTask, TaskStore } from '../record/task-store.js';
import type { LiveWorld } from './live-world.js';
import type { StuckMoves } from './stuck-moves.js';
import { diagnoseCopy, isMisnamed } from './diagnose-copy.js';
import { momentOf } from './moment-of.js';
import { contentOf } from './read-task-content.js';
import { restoreUnreadable } from './restore-unreadable.js';
import { readOwnWrites } from './own-writes.js';
import { disownTaken, hasTakenIts } from './disown-taken.js';

type Parts = {
  readonly world: LiveWorld;
  readonly store: TaskStore;
  readonly files: Files;
  readonly history: HistoryLog;
  readonly paths: Paths;
  readonly launches: LaunchRecords;
  readonly clock: Clock;
  /** Moves whose histories are not complete. */
  readonly stuck?: Pick<StuckMoves, 'failureOf' | 'diagnose' | 'eventsOf'>;
  /** Told of what was read, if there is one. */
  readonly observer?: Pick<TaskFileObserver, 'noteRead'>;
};

type Place = { readonly project: string; readonly id: string };

/** Reads every task of the home into the world. A file that cannot be read hides no other. */
export function loadTasks(parts: Parts): Result<void> {
  const loaded = parts.store.loadAll();
  if (!loaded.ok) return loaded;
  const born = loaded.value.filter((each) => !dropUnborn(parts, each));
  disownTaken(
    parts.world,
    born.flatMap((each) => loadTask(parts, each) ?? []),
  );
  return success(undefined);
}

/** A creation that was cut off before it wrote anything was acknowledged to nobody. */
function dropUnborn({ files }: Parts, loaded: LoadedTask): boolean {
  if (loaded.kind === 'task' || loaded.stamp !== null || !isTaskId(loaded.id)) return false;
  const names = files.list(loaded.dir);
  if (!names.ok || names.value.some((name) => !name.startsWith('.'))) return false;
  return files.removeTree(loaded.dir).ok;
}

/** Takes in again the tasks whose histories could not be read, as far as they now can; names them. */
export function reloadUnread(parts: Parts): readonly string[] {
  const { world, store, history, paths } = parts;
  const unread: TaskFields[] = [];
  // Asked every second, with thousands of tasks that have no problem.
  for (const { problems, fields } of world.tasks.values()) {
    if (problems.some(isAboutUnreadHistory)) unread.push(fields);
  }
  const readable = unread.filter(
    ({ project, id }) =>
      (parts.stuck?.failureOf(id) ?? null) === null &&
      history.read(paths.historyFile(project, id)).ok,
  );
  for (const { project, id } of readable) loadTask(parts, store.load(project, id));
  return readable.map(({ id }) => id);
}

/** Takes in a task once more, as its files are now. */
export function reloadTask(parts: Parts, { project, id }: Place): void {
  loadTask(parts, parts.store.load(project, id));
}

/** Takes in task folders that were not there, or not readable, at the start. */
export function loadNewTasks(parts: Parts): void {
  const { world, files, store, paths } = parts;
  const projects = files.list(paths.tasksDir);
  const claimants: string[] = [];
  for (const project of projects.ok ? projects.value : []) {
    if (!isProjectName(project)) continue;
    const ids = files.list(paths.projectTasksDir(project));
    if (ids.ok) world.problems.delete(paths.projectTasksDir(project));
    for (const id of ids.ok ? ids.value : []) {
      if (world.tasks.has(id) || !isTaskId(id)) continue;
      world.problems.delete(paths.taskDir(project, id));
      const claimant = loadTask(parts, store.load(project, id));
      if (claimant !== null) claimants.push(claimant);
    }
  }
  disownTaken(world, claimants);
}

/** Names the task if it has a worktree by the word of its file alone. */
function loadTask(parts: Parts, loaded: LoadedTask): string | null {
  const { world } = parts;
  const known = readEvents(parts, loaded);
  const copied = diagnoseCopy(parts, loaded, known.events);
  const restored = copied.length > 0 ? null : restoreLoaded(parts, asKnown(parts, loaded), known);
  if (restored === null) {
    const problems = copied.length === 0 ? loaded.diagnostics : copied;
    world.problems.set(loaded.dir, problems);
    return null;
  }
  const { task, events, content } = restored;
  const claimant = hasTakenIts(task, events) ? null : task.fields.id;
  if (isTerminal(task.fields.status)) {
    world.putTask(task);
    return claimant;
  }
  if (loaded.stamp !== null) {
    parts.observer?.noteRead(task.fields.id, { stamp: loaded.stamp, content });
  }
  const noted = { ...task, ...readOwnWrites(parts, task.fields.id) };
  world.putTask({ ...noted, ...restoreLaunches(parts, task, events) });
  return claimant;
}

type Restored = {
  readonly task: TaskState;
  readonly events: readonly HistoryEvent[];
  readonly content: FileContent;
};

/** Null for a folder whose file cannot be read, and of whose history not even its creation can. */
function restoreLoaded(parts: Parts, loaded: LoadedTask, known: KnownEvents): Restored | null {
  const { problems, hasGaps } = known;
  const events =
    known.events.length > 0 || problems.length > 0 || loaded.kind !== 'task'
      ? known.events
      : beginHistory(parts, loaded.record.fields);
  const content = contentOf(loaded);
  const place = { id: loaded.id, project: loaded.project };
  const told = { problems, events, now: momentOf(parts.clock).timestamp };
  const task =
    content.kind === 'read'
      ? restoreTask({ ...content.seen, place, ...told, hasGaps })
      : restoreUnreadable(parts, place, {
          ...told,
          problems: [...content.diagnostics, ...problems],
        });
  return task === null ? null : { task, events, content };
}

/** A task that its history knows is itself, whatever names its file has. */
function asKnown({ store }: Parts, loaded: LoadedTask): LoadedTask {
  return isMisnamed(loaded) ? store.load(loaded.project, loaded.id, 'claimed') : loaded;
}

/** The agents of a task, and when one that ended is to be started again. */
function restoreLaunches(
  { world, launches, clock }: Parts,
  task: TaskState,
  events: readonly HistoryEvent[],
): Pick<TaskState, 'worker' | 'reviewer' | 'respawnAtMs' | 'restarts'> {
  const { notedLaunches, restarts } = replayHistory(events);
  const agents = datedEnds(
    restoreAgents(launches, task, new Set(notedLaunches.keys())),
    notedLaunches,
  );
  const role = neededRole(task.fields.status);
  const needed = role === null ? ABSENT : agents[role];
  const { policy } = settingsFor(world, task.fields.project);
  const monotonicMs = clock.monotonicMs();
  const about = { crashCount: task.fields.crash_count, nowMs: monotonicMs };
  const isNoted = needed.kind === 'ended' && needed.isNoted;
  const respawnAtMs = isNoted ? respawnTime(policy, needed, about) : null;
  return {
    ...agents,
    respawnAtMs,
    restarts: restoreRestarts(restarts.map(Date.parse), { nowMs: clock.nowMs(), monotonicMs }),
  };
}

type Agents = Pick<TaskState, 'worker' | 'reviewer'>;

/** An end whose time nobody recorded came when the history first told of it. */
function datedEnds(agents: Agents, noted: ReadonlyMap<string, string>): Agents {
  return { worker: dated(agents.worker), reviewer: dated(agents.reviewer) };

  function dated(agent: AgentState): AgentState {
    const seenAt = agent.kind === 'ended' ? noted.get(agent.launchId) : undefined;
    return agent.kind === 'ended' && seenAt !== undefined ? noteEnd(agent, seenAt) : agent;
  }
}

/** A task without any history was cut off while it was made: its first event is made up for. */
function beginHistory({ history, paths }: Parts, fields: TaskFields): readonly HistoryEvent[] {
  const { id, project, created_at: timestamp } = fields;
  const created = creationEvent(fields);
  const line = formatEvent(created, timestamp);
  const appended = history.append(paths.historyFile(project, id), [line]);
  return appended.ok ? [{ ...created, timestamp }] : [];
}

type KnownEvents = {
  readonly events: readonly HistoryEvent[];
  /** Why the history cannot be read now; until it can, the task is moved by nothing. */
  readonly problems: readonly Diagnostic[];
  /** Whether lines of it cannot be read. */
  readonly hasGaps: boolean;
};

const NO_EVENTS: KnownEvents = { events: [], problems: [], hasGaps: false };

function readEvents(parts: Parts, place: Place): KnownEvents {
  const { history, paths, world, stuck } = parts;
  if (!isProjectName(place.project) || !isTaskId(place.id)) return NO_EVENTS;
  const file = paths.historyFile(place.project, place.id);
  const read = history.read(file, REPLAYED_TYPES);
  if (!read.ok) {
    return { ...NO_EVENTS, problems: [diagnoseUnreadHistory(read.failure, file)] };
  }
  if (read.value.tornTail !== null) world.tornHistories.add(place.id);
  const hasGaps = read.value.damage.length > 0;
  if (hasGaps) {
    world.problems.set(file, diagnoseHistory(read.value, file));
  }
  const events = [...read.value.events, ...(stuck?.eventsOf(place.id) ?? [])];
  return { events, problems: stuck?.diagnose(place.id) ?? [], hasGaps };
}

/**
 * A task that was pending when its first start was decided, and whose history knows of no move, still
 * is: what else its file says the agent has written, which was quicker than the record of its start.
 */
function stillPending(task: TaskState): TaskState {
  const { fields, extensions, context } = task;
  if (task.cameFrom !== null || fields.status === 'pending') return task;
  const known: TaskFields = { ...fields, status: 'pending' };
  const claims = findClaims(
    { fields: known, extensions, context },
    { fields, extensions, context },
  );
  return { ...task, fields: known, claims };
}

/** Marks what an earlier daemon had begun, so that nothing is begun twice. */
export function markOwed(world: LiveWorld, effect: Effect): void {
  const task = world.tasks.get(effect.taskId);
  if (task === undefined) return;
  if (effect.kind === 'start-agent') {
    const agent = { kind: 'starting', launchId: effect.launchId, window: effect.window } as const;
    world.putTask({
      ...(effect.isOpening === true ? stillPending(task) : task),
      ...(effect.role === 'worker' ? { worker: agent } : { reviewer: agent }),
      activity: 'starting',
      reservedWorkspace: effect.workspace,
    });
  } else if (effect.kind === 'merge-branch') world.putTask({ ...task, activity: 'merging' });
  else if (effect.kind === 'release-workspace') world.putTask({ ...task, activity: 'releasing' });
  else if (effect.kind === 'finalize') world.putTask({ ...task, activity: 'finalizing' });
  else if (effect.kind === 'run-checks') world.putTask({ ...task, activity: 'checking' });
  else if (effect.kind === 'rename-branch') world.putTask({ ...task, activity: 'renaming' });
  else if (effect.kind === 'tell-agent' && isSame(task.undelivered, effect.message)) {
    world.putTask({ ...task, undelivered: { ...task.undelivered, retryAtMs: null } });
  }
}
