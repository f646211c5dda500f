import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadNewTasks, loadTasks } from '../../src/daemon/load-world.js';
import { PoolKeeper } from '../../src/daemon/pool-keeper.js';
import { releaseWithheld, withholdWorktrees } from '../../src/daemon/withhold-worktrees.js';
import { failed } from '../../src/domain/result.js';
import { freeWorkspace } from '../../src/engine/world-queries.js';
import type { Files } from '../../src/ports.js';
import { createPoolFile } from '../../src/record/pool-file.js';
import { TASK_ID } from '../builders/task.js';
import { fakeLaunches, openDaemonHome } from './daemon-home.js';

const OTHER = 'aaaaGXR8Z5jdHi6BmyT0a';
const BOUND = { workspace: 'shop--1', tmux_session: 'shop/dark-mode' } as const;
const POOL = {
  'shop--1': { status: 'bound', task: 'shop/dark-mode', task_id: TASK_ID },
  'shop--2': { status: 'available' },
};

/** As for somebody without the right to read; permissions would not bind root. */
function refuse(path: string) {
  return failed({ kind: 'io-failed', path, operation: 'read', code: 'EACCES' });
}

/** A home with a task at work and one that waits, of which something is out of reach at the start. */
function startWithout(place: 'the task' | 'all tasks of the project') {
  const closed = { path: null as string | null };
  const isClosed = (path: string): boolean =>
    closed.path !== null && (path === closed.path || path.startsWith(`${closed.path}/`));
  const home = openDaemonHome(
    (files): Files => ({
      ...files,
      list: (path) => (isClosed(path) ? refuse(path) : files.list(path)),
      readText: (path, ...how) => (isClosed(path) ? refuse(path) : files.readText(path, ...how)),
    }),
  );
  const { world, paths, files } = home;
  home.addTask({ status: 'reviewing', ...BOUND });
  home.addTask({ id: OTHER, branch: 'other' });
  world.tasks.clear();
  files.makeDirectory(paths.workspacesDir);
  writeFileSync(paths.poolFile, JSON.stringify({ workspaces: POOL }));
  world.worktrees.add('shop--1').add('shop--2');
  closed.path =
    place === 'the task' ? paths.taskDir('shop', TASK_ID) : paths.projectTasksDir('shop');
  const parts = { ...home, launches: fakeLaunches() };
  const keeper = new PoolKeeper(createPoolFile(files, paths.poolFile), home.log);
  expect(loadTasks(parts)).toMatchObject({ ok: true });
  withholdWorktrees(home, keeper.bound());
  const reconcile = (): void => {
    loadNewTasks(parts);
    releaseWithheld(home);
  };
  const saved = (): unknown => {
    keeper.save(world);
    return JSON.parse(readFileSync(paths.poolFile, 'utf8')).workspaces;
  };
  const open = (): void => void (closed.path = null);
  return { home, world, paths, reconcile, saved, open };
}

describe('a start while', () => {
  it.each([
    ['the task', [OTHER]],
    ['all tasks of the project', []],
  ] as const)(
    '%s cannot be read names it, keeps its worktree from everybody, and takes it in later',
    (place, others) => {
      const { home, world, reconcile, saved, open } = startWithout(place);
      using _ = home;
      expect([...world.tasks.keys()]).toEqual(others);
      expect([...world.problems.values()].flat()).toMatchObject([{ code: 'ORA004' }]);
      expect(freeWorkspace(world, 'shop')).toBe('shop--2');
      expect(saved()).toEqual(POOL);
      reconcile();
      expect([...world.withheld.keys()]).toEqual(['shop--1']);
      open();
      reconcile();
      expect(world.tasks.get(TASK_ID)?.fields).toMatchObject(BOUND);
      expect([world.withheld.size, world.problems.size, world.quarantined.size]).toEqual([0, 0, 0]);
      expect(saved()).toEqual(POOL);
    },
  );

  it('the task cannot be read sets its worktree aside once it is gone for good', () => {
    const { home, world, paths, reconcile, open } = startWithout('the task');
    using _ = home;
    open();
    rmSync(paths.taskDir('shop', TASK_ID), { recursive: true });
    reconcile();
    expect([world.withheld.size, [...world.quarantined.keys()]]).toEqual([0, ['shop--1']]);
  });

  it('.pool.json names a copy of the task keeps the worktree from nobody but for the task', () => {
    using home = openDaemonHome();
    const { world, paths } = home;
    home.addTask({ status: 'reviewing', ...BOUND });
    mkdirSync(paths.taskDir('shop', 'copyof'));
    const row = { status: 'bound', task: 'shop/dark-mode', task_id: 'copyof' } as const;
    withholdWorktrees(home, new Map([['shop--1', row]]));
    expect(world.withheld.size).toBe(0);
    world.withheld.set('shop--1', row);
    releaseWithheld(home);
    expect([world.withheld.size, world.quarantined.size]).toEqual([0, 0]);
  });
});
