import { expect, it } from 'vitest';
import type { Observation } from '../../src/domain/observation.js';
import { success } from '../../src/domain/result.js';
import type { RestorePlace, SalvageEntry } from '../../src/domain/salvage.js';
import { LiveWorld } from '../../src/daemon/live-world.js';
import { SalvageKeeper } from '../../src/daemon/salvage-keeper.js';
import { createPaths } from '../../src/record/paths.js';
import { buildTaskIn, TASK_ID } from '../builders/task.js';
import { buildProject, START_MS } from '../builders/world.js';

const DAY_MS = 86_400_000;
const REF = `refs/orange/salvage/${TASK_ID}/1`;

function entryOf(taskId: string, parts: Partial<SalvageEntry> = {}): SalvageEntry {
  return {
    ref: `refs/orange/salvage/${taskId}/1`,
    task_id: taskId,
    number: 1,
    commit: 'c0',
    head: 'h0',
    kind: 'work',
    saved_at: new Date(START_MS - 40 * DAY_MS).toISOString(),
    dropped_at: null,
    ...parts,
  };
}

/** A keeper over a fake repository, with everything it did. */
function keeperOver(entries: readonly SalvageEntry[], keepDays: number | null = 30) {
  const world = new LiveWorld();
  world.replaceProjects([buildProject()]);
  const clock = { ms: START_MS };
  const places: RestorePlace[] = [];
  const removed: string[] = [];
  const seen: Observation[] = [];
  const merges = ['merged', 'mergedLately', 'cancelled', 'working', 'deleted'];
  const forgotten: string[] = [];
  const keeper = new SalvageKeeper({
    world,
    paths: createPaths('/home'),
    clock: { nowMs: () => clock.ms, monotonicMs: () => clock.ms },
    log: { write: () => undefined },
    loop: { see: (observation) => void seen.push(observation) },
    keepDays: () => keepDays,
    history: {
      read: (path) => {
        const type = path.includes('merged') ? 'task.merged' : 'status.changed';
        return success({ events: [{ type, timestamp: '' }], damage: [], tornTail: null });
      },
    },
    repositories: {
      checkBranchName: async () => success(undefined),
      listMerges: async () => success(merges),
      forgetMerge: async ({ taskId }) => {
        forgotten.push(taskId);
        return success('forgotten');
      },
      salvage: {
        list: async () => success(entries.filter(({ ref }) => !removed.includes(ref))),
        show: async () => success(''),
        restore: async ({ place, ref }) => {
          places.push(place);
          return success({ ref, path: '/there', branch: null, head: 'h0' });
        },
        drop: async () => success(entryOf(TASK_ID, { dropped_at: 'now' })),
        remove: async ({ entry }) => {
          removed.push(entry.ref);
          return success(undefined);
        },
      },
    },
  });
  return { keeper, world, clock, places, removed, seen, forgotten };
}

const restore = { kind: 'salvage.restore', project: 'shop', ref: REF } as const;
const nowhere = { into: null, branch: null };

it.each([
  [
    'the worktree that the task has',
    'working',
    nowhere,
    { kind: 'worktree', path: '/home/workspaces/shop--1' },
  ],
  [
    'a new one when it has none',
    'cancelled',
    nowhere,
    { kind: 'new-worktree', path: `/home/restored/${TASK_ID}-1`, branch: 'dark-mode' },
  ],
  [
    'the path that was asked for',
    'working',
    { into: '/x', branch: null },
    { kind: 'new-worktree', path: '/x', branch: 'dark-mode' },
  ],
  [
    'that path, on another branch',
    'working',
    { into: '/x', branch: 'b' },
    { kind: 'new-worktree', path: '/x', branch: 'b' },
  ],
  ['a branch alone', 'working', { into: null, branch: 'b' }, { kind: 'branch', branch: 'b' }],
] as const)('work is restored in %s, and the history has it', async (_, status, wish, place) => {
  const { keeper, world, places, seen } = keeperOver([]);
  world.putTask(buildTaskIn(status));
  expect((await keeper.answer({ ...restore, ...wish })).ok).toBe(true);
  expect(places).toEqual([place]);
  expect(seen).toMatchObject([{ taskId: TASK_ID, event: { type: 'salvage.restored', ref: REF } }]);
});

it('work of a task that is gone is restored without a history', async () => {
  const { keeper, places, seen } = keeperOver([]);
  await keeper.answer({ ...restore, ...nowhere });
  expect(places).toEqual([
    { kind: 'new-worktree', path: `/home/restored/${TASK_ID}-1`, branch: null },
  ]);
  expect(seen).toEqual([]);
});

it('a project that is not registered is not found', async () => {
  const { keeper } = keeperOver([]);
  expect(await keeper.answer({ ...restore, ...nowhere, project: 'gone' })).toMatchObject({
    failure: { kind: 'not-found', what: 'project' },
  });
});

const KEPT = [
  entryOf('merged'),
  entryOf('cancelled'),
  entryOf('working'),
  entryOf('deleted'),
  entryOf('dropped', { dropped_at: new Date(START_MS - 31 * DAY_MS).toISOString() }),
  entryOf('lately', { dropped_at: new Date(START_MS - DAY_MS).toISOString() }),
];

function withTasks(world: LiveWorld): void {
  for (const [id, status] of [
    ['merged', 'done'],
    ['cancelled', 'cancelled'],
    ['working', 'working'],
  ] as const) {
    world.putTask(buildTaskIn(status, { fields: { id, branch: id } }));
  }
}

it('pruning takes old work of merged tasks and what was dropped long ago, nothing else', async () => {
  const { keeper, world, removed } = keeperOver(KEPT);
  withTasks(world);
  const answer = await keeper.answer({ kind: 'salvage.prune', project: null, days: null });
  expect(removed).toEqual(['refs/orange/salvage/merged/1', 'refs/orange/salvage/dropped/1']);
  expect(answer).toMatchObject({
    value: { entries: [{ task_id: 'merged' }, { task_id: 'dropped' }] },
  });
});

it('the daemon prunes once a day, and not at all when it is to keep everything', async () => {
  const { keeper, world, removed, clock } = keeperOver(KEPT);
  withTasks(world);
  await keeper.tend();
  expect(removed).toHaveLength(2);
  removed.length = 0;
  clock.ms += DAY_MS / 2;
  await keeper.tend();
  expect(removed).toEqual([]);
  clock.ms += DAY_MS / 2;
  await keeper.tend();
  expect(removed).toHaveLength(2);
  const forEver = keeperOver(KEPT, null);
  withTasks(forEver.world);
  await forEver.keeper.tend();
  expect(forEver.removed).toEqual([]);
});

it('pruning forgets old merges of this home, and leaves those that are new, undone or not its own', async () => {
  const { keeper, world, clock, forgotten } = keeperOver([]);
  const [old, lately] = [40, 1].map((days) => new Date(START_MS - days * DAY_MS).toISOString());
  for (const [id, status, updated_at = ''] of [
    ['merged', 'done', old],
    ['mergedLately', 'done', lately],
    ['cancelled', 'cancelled', old],
    ['working', 'working', old],
  ] as const) {
    world.putTask(buildTaskIn(status, { fields: { id, branch: id, updated_at } }));
  }
  await keeper.tend();
  expect(forgotten).toEqual(['merged']);
  clock.ms += 30 * DAY_MS;
  await keeper.tend();
  expect(forgotten).toEqual(['merged', 'merged', 'mergedLately']);
});
