import { describe, expect, it } from 'vitest';
import { IdleProver } from '../../src/daemon/idle-prover.js';
import { LiveWorld } from '../../src/daemon/live-world.js';
import { failed, success } from '../../src/domain/result.js';
import { createPaths } from '../../src/record/paths.js';
import { buildTaskIn } from '../builders/task.js';
import { memoryLog, SHOP } from './daemon-home.js';

type Given = {
  readonly made?: readonly string[];
  readonly setAside?: readonly string[];
  readonly hasTask?: boolean;
  readonly isBusy?: boolean;
  readonly isFailing?: boolean;
};

function proving(given: Given) {
  const world = new LiveWorld();
  world.replaceProjects([{ ...SHOP, pool_size: 5 }]);
  for (const name of given.made ?? ['shop--1', 'shop--2']) world.worktrees.add(name);
  const aside = { reason: 'it is not clean', failures: 0 };
  for (const name of given.setAside ?? []) world.quarantined.set(name, aside);
  if (given.hasTask === true) world.putTask(buildTaskIn('working'));
  const log = memoryLog();
  const asked: string[] = [];
  const prover = new IdleProver({
    world,
    log,
    paths: createPaths('/home/pat/orange'),
    repositories: {
      proveIdle: async ({ worktree }) => {
        asked.push(worktree.split('/').at(-1) ?? '');
        const reason = {
          kind: 'worktree-unusable',
          workspace: worktree,
          reason: 'a test',
        } as const;
        return given.isFailing === true ? failed(reason) : success(true);
      },
    },
    isIdle: () => given.isBusy !== true,
  });
  return { prover, world, asked, log };
}

describe('the look ahead through free worktrees', () => {
  const CASES: readonly (readonly [string, Given, readonly string[]])[] = [
    ['looks through those that are there, in order', {}, ['shop--1', 'shop--2']],
    ['leaves out the one that a task has', { hasTask: true }, ['shop--2']],
    ['leaves out those that were set aside', { setAside: ['shop--1'] }, ['shop--2']],
    ['waits while something is done for a task', { isBusy: true }, []],
    [
      'looks no further than tasks are likely to come',
      { made: ['shop--1', 'shop--2', 'shop--3', 'shop--4', 'shop--5'] },
      ['shop--1', 'shop--2', 'shop--3'],
    ],
  ];

  it.each(CASES)('%s', async (_, given, expected) => {
    const { prover, asked } = proving(given);
    await prover.proveAhead();
    expect(asked).toEqual(expected);
  });

  it('looks once, and again only after a task had the worktree', async () => {
    const { prover, asked } = proving({ made: ['shop--1'] });
    await prover.proveAhead();
    await prover.proveAhead();
    expect(asked).toEqual(['shop--1']);
    prover.take('shop--1');
    await prover.proveAhead();
    expect(asked).toEqual(['shop--1', 'shop--1']);
  });

  it('notes what could not be looked through and goes on', async () => {
    const { prover, asked, log } = proving({ isFailing: true });
    await prover.proveAhead();
    expect(asked).toEqual(['shop--1', 'shop--2']);
    expect(log.records).toMatchObject([
      { event: 'pool.looked-through', workspace: 'shop--1', watched: false },
      { event: 'pool.looked-through', workspace: 'shop--2', watched: false },
    ]);
  });

  it('begins nothing once it is closed', async () => {
    const { prover, asked } = proving({});
    prover.close();
    prover.nudge();
    await prover.proveAhead();
    expect(asked).toEqual([]);
  });
});
