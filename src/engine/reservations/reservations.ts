import { listOf } from '../../domain/extensions.js';
import type { ManualLock } from '../../domain/lock.js';
import type { Status } from '../../domain/status.js';
import type { TaskState, World } from '../../domain/world.js';
import { ScopeIndex, type Meeting } from './scope-index.js';
import { readScopes, type Scope } from './scope.js';

/** Somebody else who has something that one wants. */
export type Overlap = {
  /** The id of a task, or of a lock of nobody's task. */
  readonly id: string;
  readonly taskId: string | null;
  /** project/branch, or the name of a person. */
  readonly holder: string;
  /** What both have, in the words of the one who asks. */
  readonly paths: readonly string[];
  /** For each of them what the other one has there, in the words of that one. */
  readonly held: readonly string[];
  /** Whether it is about paths; areas hold nobody up. */
  readonly isBlocking: boolean;
};

/** One who holds something: a task by its Plan, or whoever a lock was made for. */
export type Holder = {
  /** The task's id, or the lock's. */
  readonly id: string;
  readonly project: string;
  readonly name: string;
  readonly task: TaskState | null;
  readonly lock: ManualLock | null;
  readonly scopes: readonly Scope[];
};

export type Reservations = {
  readonly holders: readonly Holder[];
  /** Those others that have something of what this one holds, a few of them. */
  overlapsOf(taskId: string): readonly Overlap[];
  find(asking: {
    readonly id: string;
    readonly project: string;
    readonly scopes: readonly Scope[];
  }): readonly Overlap[];
};

/** What a task says that it touches: by its Plan, and by `touching`. */
export function declaredPaths({ artifacts, extensions }: TaskState): readonly string[] {
  const declared = listOf(extensions['touching']);
  return declared.length === 0 ? artifacts.touching : [...declared, ...artifacts.touching];
}

/** What a task declares, as it is remembered when somebody releases it. */
export function releaseKey(paths: readonly string[]): string {
  return paths.join('\n');
}

/**
 * Whether a task has files that nobody else should change: its Plan is accepted and its work is not
 * merged. A question or a trouble on the way changes nothing about that.
 */
export function isHolder(task: TaskState): boolean {
  const { status } = task.fields;
  if (HOLDING.has(status)) return true;
  const isPaused = status === 'clarification' || status === 'stuck';
  return isPaused && task.cameFrom !== null && HOLDING.has(task.cameFrom);
}

const HOLDING: ReadonlySet<Status> = new Set(['working', 'agent-review', 'reviewing']);

/** More others than these are told to nobody. */
const MOST_OVERLAPS = 10;

/** Who holds what in this world. It is kept for as long as the same ones hold the same. */
export function reservationsOf(world: World): Reservations {
  const marks = marksOf(world);
  const known = KEPT.get(world.tasks);
  if (known !== undefined && isSame(known.marks, marks)) return known.reservations;
  const reservations = collect(world);
  KEPT.set(world.tasks, { marks, reservations });
  return reservations;
}

type Kept = { readonly marks: readonly unknown[]; readonly reservations: Reservations };
const KEPT = new WeakMap<World['tasks'], Kept>();

/** Everything that the reservations are made of. */
function marksOf(world: World): readonly unknown[] {
  const marks: unknown[] = [];
  for (const task of world.tasks.values()) {
    if (!isHolder(task)) continue;
    const { fields, artifacts, extensions, reservation } = task;
    marks.push(fields.id, fields.branch, artifacts.touching);
    marks.push(extensions['touching'], reservation.released, reservation.drift);
  }
  marks.push(...world.locks.values());
  return marks;
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((mark, at) => mark === other[at]);
}

function collect(world: World): Reservations {
  const holders = [...planHolders(world), ...lockHolders(world)];
  const indexes = new Map<string, ScopeIndex>();
  const named = new Map(holders.map((holder) => [ownerOf(holder), holder]));
  for (const holder of holders) {
    const index = indexes.get(holder.project) ?? new ScopeIndex();
    indexes.set(holder.project, index);
    index.add(ownerOf(holder), holder.scopes);
  }
  const find: Reservations['find'] = ({ id, project, scopes }) => {
    const meetings = indexes.get(project)?.find(scopes, { except: id, most: MOST_OVERLAPS }) ?? [];
    return joinMeetings(meetings, named);
  };
  const found = new Map<string, readonly Overlap[]>();
  for (const holder of holders) {
    if (holder.task === null) continue;
    const overlaps = find(holder);
    if (overlaps.length > 0) found.set(holder.id, overlaps);
  }
  return { holders, find, overlapsOf: (taskId) => found.get(taskId) ?? [] };
}

function planHolders(world: World): readonly Holder[] {
  return [...world.tasks.values()].flatMap((task): readonly Holder[] => {
    if (!isHolder(task)) return [];
    const paths = declaredPaths(task);
    if (task.reservation.released === releaseKey(paths)) return [];
    // What it has changed without having declared it, it holds as well.
    const scopes = readScopes([...paths, ...(task.reservation.drift?.paths ?? [])]);
    if (scopes.length === 0) return [];
    const { id, project, branch } = task.fields;
    return [{ id, project, name: `${project}/${branch}`, task, lock: null, scopes }];
  });
}

function lockHolders(world: World): readonly Holder[] {
  return Array.from(world.locks.values(), (lock): Holder => {
    const task = lock.taskId === null ? undefined : world.tasks.get(lock.taskId);
    const name =
      task === undefined ? (lock.name ?? '') : `${task.fields.project}/${task.fields.branch}`;
    const { id, project, paths } = lock;
    return { id, project, name, task: null, lock, scopes: readScopes(paths) };
  });
}

/** Whose it is: nobody is in his own way. */
function ownerOf({ id, lock }: Holder): string {
  return lock?.taskId ?? id;
}

function joinMeetings(
  meetings: readonly Meeting[],
  named: ReadonlyMap<string, Holder>,
): readonly Overlap[] {
  const ids = [...new Set(meetings.map(({ holder }) => holder))];
  return ids.map((id): Overlap => {
    const own = meetings.filter(({ holder }) => holder === id);
    const { task = null, lock = null, name = id } = named.get(id) ?? {};
    return {
      id,
      taskId: task?.fields.id ?? lock?.taskId ?? null,
      holder: name,
      paths: own.map(({ text }) => text),
      held: own.map(({ held }) => held),
      isBlocking: own.some(({ kind }) => kind === 'paths'),
    };
  });
}
