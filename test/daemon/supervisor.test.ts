import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Loop } from '../../src/daemon/loop.js';
import { Supervisor } from '../../src/daemon/supervisor.js';
import { success } from '../../src/domain/result.js';
import { createFakeWatching } from '../fakes/fake-watching.js';
import { fakeLaunches, openDaemonHome, type DaemonHome } from './daemon-home.js';

const COUNT = 100;

/** A supervisor of tasks that wait for a person, and the task files that are read of the disk. */
function supervise(home: DaemonHome, { watching } = createFakeWatching()) {
  const { world } = home;
  for (let each = 1; each <= COUNT; each += 1) {
    const id = `task${each}`.padEnd(21, 'x');
    home.addTask({ id, branch: `b${each}`, status: 'reviewing', workspace: `shop--${each}` });
  }
  const supervisor = new Supervisor({
    ...home,
    launches: fakeLaunches(),
    lost: { isGone: () => false },
    onOutlived: () => undefined,
    watching,
    sessions: {
      list: async () => success([]),
      renameSession: async () => success(undefined),
      events: {
        socket: '/nowhere',
        follow: () => undefined,
        state: () => ({ state: 'connected', since: '2026-01-02T10:00:00.000Z' }),
        keepSocket: async () => undefined,
      },
    },
  });
  supervisor.attach(
    new Loop({
      ...home,
      execute: async () => null,
      look: (taskId, look) => supervisor.look(taskId, look),
      stuckBecause: () => null,
      newId: () => '',
      onSettled: () => undefined,
      onProgress: () => undefined,
      onAnswered: () => undefined,
      stops: { heed: () => undefined, forget: () => undefined },
    }),
  );
  supervisor.watchTasks(world.tasks.keys());
  return supervisor;
}

it('a sweep finds what has changed in every active task without a hint, and reads nothing else', () => {
  const reads: string[] = [];
  using home = openDaemonHome((files) => ({
    ...files,
    readText: (path, maxBytes, decoding) => {
      reads.push(path);
      return files.readText(path, maxBytes, decoding);
    },
  }));
  const supervisor = supervise(home);
  supervisor.reconcile();
  home.clock.advance(60_000);
  supervisor.reconcile();
  expect(supervisor.sources().sweep).toBe('net');
  reads.length = 0;
  supervisor.sweep(1000);
  expect(reads).toEqual([]);
  const files = [...home.world.tasks.keys()].map((id) => home.paths.taskFile('shop', id));
  expect(files).toHaveLength(COUNT);
  for (const path of files) appendFileSync(path, 'more\n');
  supervisor.sweep(1000);
  // The hints may only be late.
  expect(reads).toEqual([]);
  home.clock.advance(1000);
  supervisor.sweep(1000);
  expect([...new Set(reads)].toSorted()).toEqual(files.toSorted());
  supervisor.close();
});

describe('F18 F36 a change that no hint came of', () => {
  type Supervised = ReturnType<typeof supervise>;
  const sweep = (supervisor: Supervised): void => supervisor.sweep(1000);
  const reconcile = (supervisor: Supervised): void => supervisor.reconcile();

  it.each([
    ['by a sweep', sweep],
    ['by a look at all tasks', reconcile],
  ])('is found %s, and said though orange itself then writes there', (_, look) => {
    using home = openDaemonHome();
    const watching = createFakeWatching();
    const supervisor = supervise(home, watching);
    supervisor.reconcile();
    home.clock.advance(60_000);
    const [id = ''] = home.world.tasks.keys();
    appendFileSync(home.paths.taskFile('shop', id), 'more\n');
    look(supervisor);
    home.clock.advance(600);
    look(supervisor);
    watching.change(home.paths.taskDir('shop', id), 'TASK.md');
    home.clock.advance(2000);
    supervisor.sweep(2600);
    expect(supervisor.sources().files).toMatchObject({ state: 'broken', reason: 'missed' });
    supervisor.close();
  });

  it('is none when the hint was only late', () => {
    using home = openDaemonHome();
    const watching = createFakeWatching();
    const supervisor = supervise(home, watching);
    supervisor.reconcile();
    home.clock.advance(60_000);
    const [id = ''] = home.world.tasks.keys();
    appendFileSync(home.paths.taskFile('shop', id), 'more\n');
    supervisor.sweep(60_000);
    watching.change(home.paths.taskDir('shop', id), 'TASK.md');
    home.clock.advance(2600);
    supervisor.sweep(2600);
    expect(supervisor.sources().files.state).toBe('watching');
    supervisor.close();
  });

  it('is also what was saved by rename in the worktree', () => {
    using home = openDaemonHome();
    const supervisor = supervise(home);
    const [id = ''] = home.world.tasks.keys();
    const worktree = home.paths.workspace('shop--1');
    mkdirSync(worktree, { recursive: true });
    symlinkSync(home.paths.taskFile('shop', id), join(worktree, 'TASK.md'));
    supervisor.reconcile();
    home.clock.advance(60_000);
    supervisor.reconcile();
    const text = `${readFileSync(home.paths.taskFile('shop', id), 'utf8')}\n## Notes\n\nmine\n`;
    writeFileSync(join(worktree, 'new'), text);
    renameSync(join(worktree, 'new'), join(worktree, 'TASK.md'));
    for (let sweeps = 1; sweeps <= 3; sweeps += 1) {
      home.clock.advance(1000);
      supervisor.sweep(1000);
    }
    home.clock.advance(2000);
    supervisor.reconcile();
    supervisor.sweep(2000);
    expect(readFileSync(home.paths.taskFile('shop', id), 'utf8')).toContain('mine');
    expect(supervisor.sources().files).toMatchObject({ state: 'broken', reason: 'missed' });
    supervisor.close();
  });
});
