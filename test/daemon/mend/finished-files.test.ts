import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FinishedFiles } from '../../../src/daemon/mend/finished-files.js';
import { TASK_ID } from '../../builders/task.js';
import { openDaemonHome, type DaemonHome } from '../daemon-home.js';

const LONG_MS = 60_000;

/** A look at the files of a home, at some distance from now; `reads` counts what was read. */
function looking(home: DaemonHome, aheadMs: number) {
  let reads = 0;
  const clock = { nowMs: () => Date.now() + aheadMs, monotonicMs: () => 0 };
  const load: DaemonHome['store']['load'] = (project, id) => {
    reads += 1;
    return home.store.load(project, id);
  };
  const finished = new FinishedFiles({ ...home, clock, store: { load } });
  const look = async () => [...(await finished.findClaims(home.world.tasks.values()))];
  return { look, reads: () => reads };
}

function claim(home: DaemonHome, from: string, to: string): void {
  const path = home.paths.taskFile('shop', TASK_ID);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(`status: ${from}`, `status: ${to}`));
}

describe('the files of finished tasks', () => {
  it.each(['done', 'cancelled'] as const)(
    'that is %s are read when they change, and then no more',
    async (status) => {
      using home = openDaemonHome();
      home.addTask({ status });
      const { look, reads } = looking(home, LONG_MS);
      expect([await look(), reads()]).toEqual([[], 0]);
      claim(home, status, 'working');
      expect([await look(), reads()]).toEqual([[[TASK_ID, 'working']], 1]);
      expect([await look(), reads()]).toEqual([[[TASK_ID, 'working']], 1]);
      claim(home, 'working', status);
      expect([await look(), reads()]).toEqual([[], 2]);
    },
  );

  it('are believed to say what they said when they were loaded', async () => {
    using home = openDaemonHome();
    const task = home.addTask({ status: 'done' });
    const { extensions, context } = task;
    const fields = { ...task.fields, status: 'stuck' as const };
    home.world.putTask({ ...task, claims: { fields, extensions, context } });
    const { look, reads } = looking(home, LONG_MS);
    expect([await look(), reads()]).toEqual([[[TASK_ID, 'stuck']], 0]);
  });

  it('are read again while they may change without a new stamp', async () => {
    using home = openDaemonHome();
    home.addTask({ status: 'done' });
    const { look, reads } = looking(home, 0);
    await look();
    claim(home, 'done', 'stuck');
    expect([await look(), reads() > 0]).toEqual([[[TASK_ID, 'stuck']], true]);
  });

  it('are no claim while they cannot be read, and others are not looked at', async () => {
    using home = openDaemonHome();
    home.addTask({ status: 'done' });
    const { look } = looking(home, LONG_MS);
    await look();
    claim(home, 'done', 'nonsense');
    expect(await look()).toEqual([]);
    home.addTask({ id: 'B1StGXR8Z5jdHi6BmyT7q', status: 'working' });
    expect(await look()).toEqual([]);
  });
});
