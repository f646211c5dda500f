import { appendFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Loop } from '../../src/daemon/loop.js';
import { Supervisor } from '../../src/daemon/supervisor.js';
import { success } from '../../src/domain/result.js';
import { createFakeWatching } from '../fakes/fake-watching.js';
import { fakeLaunches, openDaemonHome, type DaemonHome } from './daemon-home.js';

const COUNT = 100;

/** A supervisor of tasks that wait for a person, and the task files that are read of the disk. */
function supervise(home: DaemonHome) {
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
    watching: createFakeWatching().watching,
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
  expect([...new Set(reads)].toSorted()).toEqual(files.toSorted());
  supervisor.close();
});
