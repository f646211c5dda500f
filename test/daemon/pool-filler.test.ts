import { describe, expect, it } from 'vitest';
import { LiveWorld } from '../../src/daemon/live-world.js';
import { PoolFiller } from '../../src/daemon/pool-filler.js';
import type { Failure } from '../../src/domain/failure.js';
import { failed, success, type Result } from '../../src/domain/result.js';
import { DEFAULT_SETTINGS } from '../../src/domain/settings.js';
import type { PrepareRequest } from '../../src/ports.js';
import { createPaths } from '../../src/record/paths.js';
import { buildTaskIn } from '../builders/task.js';
import { manualClock, memoryLog, SHOP } from './daemon-home.js';

type Given = {
  readonly poolSize?: number;
  readonly fill?: 'lazy' | 'ahead';
  /** Worktrees that are there. */
  readonly made?: readonly string[];
  /** Worktrees that were made anew. */
  readonly bare?: readonly string[];
  readonly setAside?: readonly string[];
  readonly hasTask?: boolean;
  readonly isBusy?: boolean;
};

const BROKEN: Failure = { kind: 'worktree-unusable', workspace: 'x', reason: 'it is a test' };

/** A filler over a git that makes whatever it is asked for, until it is told to fail. */
function filling(given: Given = {}) {
  const world = new LiveWorld();
  const project = { ...SHOP, pool_size: given.poolSize ?? 3 };
  world.replaceProjects([project]);
  const pool = { ...DEFAULT_SETTINGS.pool, fill: given.fill ?? 'ahead', setup: ['npm ci'] };
  world.settings.set('', { ...DEFAULT_SETTINGS, pool });
  for (const name of given.made ?? []) world.worktrees.add(name);
  for (const name of given.bare ?? []) world.bare.add(name);
  const aside = { reason: 'it is not clean', failures: 0 };
  for (const name of given.setAside ?? []) world.quarantined.set(name, aside);
  if (given.hasTask === true) world.putTask(buildTaskIn('working'));
  const clock = manualClock();
  const log = memoryLog();
  const asked: string[] = [];
  const prepared: PrepareRequest[] = [];
  const told = {
    isBusy: given.isBusy ?? false,
    fails: new Set<string>(),
    failure: BROKEN,
    filled: 0,
  };
  const answer = (step: string, path: string): Result<void> => {
    const name = path.split('/').at(-1) ?? '';
    asked.push(`${step} ${name}`);
    if (!told.fails.has(`${step} ${name}`)) return success(undefined);
    return failed(told.failure);
  };
  const filler = new PoolFiller({
    world,
    paths: createPaths('/home/pat/orange'),
    clock,
    log,
    env: { PATH: '/usr/bin', ORANGE_ROLE: 'worker' },
    repositories: {
      ensureWorktree: async ({ worktree }) => answer('make', worktree),
      prepare: async (request) => {
        prepared.push(request);
        return answer('set up', request.worktree);
      },
    },
    isIdle: () => !told.isBusy,
    onFilled: () => (told.filled += 1),
  });
  return { filler, world, project, clock, log, asked, prepared, told };
}

const MADE_ALL = ['shop--1', 'shop--2', 'shop--3'].flatMap((name) => [
  `make ${name}`,
  `set up ${name}`,
]);

const AHEAD: readonly (readonly [string, Given, readonly string[]])[] = [
  ['makes and sets up what is missing, in order', {}, MADE_ALL],
  ['does nothing for a pool that is to be filled when needed', { fill: 'lazy' }, []],
  ['does nothing while something is done for a task', { isBusy: true }, []],
  ['leaves what is there as it is', { made: ['shop--1', 'shop--2', 'shop--3'] }, []],
  [
    'sets up what was made anew',
    { made: ['shop--1', 'shop--2', 'shop--3'], bare: ['shop--2'] },
    MADE_ALL.slice(2, 4),
  ],
  [
    'leaves what was made anew to a task that has it',
    { poolSize: 1, hasTask: true, bare: ['shop--1'] },
    [],
  ],
  [
    'does not set up what is set aside again',
    { made: ['shop--1'], bare: ['shop--1'], setAside: ['shop--1'], poolSize: 1 },
    [],
  ],
  [
    'makes nothing in the place of one that is set aside',
    { setAside: ['shop--2'] },
    [...MADE_ALL.slice(0, 2), ...MADE_ALL.slice(4)],
  ],
  ['leaves the worktree of a task to it', { hasTask: true, poolSize: 2 }, MADE_ALL.slice(2, 4)],
  ['makes no more than the pool has room for', { poolSize: 1 }, MADE_ALL.slice(0, 2)],
];

describe('filling ahead', () => {
  it.each(AHEAD)('%s', async (_what, given, then) => {
    const { filler, asked, told } = filling(given);
    await filler.fillAhead();
    expect(asked).toEqual(then);
    expect(told.filled).toBe(then.length / 2);
  });

  it('tells the set-up where it is, and nothing of who runs the daemon', async () => {
    const { filler, prepared } = filling({ poolSize: 1 });
    await filler.fillAhead();
    const [request] = prepared;
    expect(request?.env).toMatchObject({
      ORANGE_PROJECT: 'shop',
      ORANGE_SLOT: '1',
      ORANGE_WORKSPACE: '/home/pat/orange/workspaces/shop--1',
    });
    expect(request?.env).not.toHaveProperty('ORANGE_ROLE');
    expect(request?.logFile).toContain('shop--1.log');
  });

  it('stops when a task wants something, and goes on with the rest later', async () => {
    const { filler, asked, told, prepared } = filling({ poolSize: 2 });
    const begun = filler.fillAhead();
    told.isBusy = true;
    await begun;
    expect(asked).toEqual(MADE_ALL.slice(0, 2));
    expect(prepared[0]?.isStillIdle?.()).toBe(true);
    told.isBusy = false;
    await filler.fillAhead();
    expect(asked).toEqual(MADE_ALL.slice(0, 4));
  });

  it('says of a worktree that a task has taken meanwhile that it is idle no longer', async () => {
    const { filler, world, prepared } = filling({ poolSize: 1 });
    await filler.fillAhead();
    world.putTask(buildTaskIn('working'));
    expect(prepared[0]?.isStillIdle?.()).toBe(false);
  });

  it('puts off what cannot be made, ever longer, goes on with the others, and says why', async () => {
    const { filler, asked, told, clock, log, world } = filling({ poolSize: 2 });
    told.fails.add('make shop--1');
    await filler.fillAhead();
    expect(asked).toEqual(['make shop--1', ...MADE_ALL.slice(2, 4)]);
    for (const [afterMs, tries] of [
      [29_000, 1],
      [1000, 2],
      [59_000, 2],
      [1000, 3],
    ] as const) {
      clock.advance(afterMs);
      await filler.fillAhead();
      expect(asked.filter((each) => each === 'make shop--1')).toHaveLength(tries);
    }
    expect(log.records).toContainEqual(
      expect.objectContaining({ event: 'pool.fill-failed', workspace: 'shop--1' }),
    );
    told.fails.clear();
    clock.advance(120_000);
    await filler.fillAhead();
    expect([...world.worktrees].toSorted()).toEqual(['shop--1', 'shop--2']);
  });

  it('F17 makes it within seconds when there are descriptors again, and says once that there were none', async () => {
    const { filler, told, clock, log, world } = filling({ poolSize: 1 });
    told.fails.add('make shop--1');
    told.failure = { kind: 'io-failed', path: 'git', operation: 'run', code: 'EMFILE' };
    for (let second = 0; second < 60; second += 1) {
      await filler.fillAhead();
      clock.advance(1000);
    }
    expect(log.records).toHaveLength(1);
    told.fails.clear();
    clock.advance(2000);
    filler.retryHindered();
    await expect.poll(() => [...world.worktrees], { timeout: 20_000 }).toEqual(['shop--1']);
    filler.close();
  });

  it('counts a worktree whose set-up fails as made: it is tried again for a task', async () => {
    const { filler, asked, told, world, clock } = filling({ poolSize: 1 });
    told.fails.add('set up shop--1');
    await filler.fillAhead();
    clock.advance(3_600_000);
    await filler.fillAhead();
    expect(asked).toEqual(MADE_ALL.slice(0, 2));
    expect([...world.worktrees]).toEqual(['shop--1']);
  });

  it('begins nothing once it is closed', async () => {
    const { filler, asked } = filling();
    filler.close();
    filler.nudge();
    await filler.fillAhead();
    expect(asked).toEqual([]);
  });

  it('happens by itself a moment after something has changed', async () => {
    const { filler, world } = filling({ poolSize: 2 });
    filler.nudge();
    filler.nudge();
    await expect.poll(() => world.worktrees.size, { timeout: 20_000 }).toBe(2);
    filler.close();
  });
});

describe('filling on request', () => {
  it('makes and sets up every worktree, tells of each step, and takes in what was set aside', async () => {
    const { filler, project, asked, world } = filling({
      fill: 'lazy',
      made: ['shop--1'],
      setAside: ['shop--1'],
    });
    const steps: string[] = [];
    const filled = await filler.fill(project, (step) => void steps.push(step));
    expect(filled.ok).toBe(true);
    expect(asked).toEqual(MADE_ALL);
    expect(steps).toEqual(['making shop--2', 'making shop--3']);
    expect(world.quarantined.size).toBe(0);
  });

  it('ends with the first that fails', async () => {
    const { filler, project, asked, told } = filling();
    told.fails.add('set up shop--2');
    const filled = await filler.fill(project, () => undefined);
    expect(filled).toMatchObject({ ok: false, failure: { kind: 'worktree-unusable' } });
    expect(asked).toEqual(MADE_ALL.slice(0, 4));
  });

  it('leaves the worktrees of tasks alone', async () => {
    const { filler, project, asked } = filling({ hasTask: true, poolSize: 2 });
    await filler.fill(project, () => undefined);
    expect(asked).toEqual(MADE_ALL.slice(2, 4));
  });
});
