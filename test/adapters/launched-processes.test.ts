import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createProcessTable } from '../../src/adapters/process-table.js';
import { must } from '../rigs/must.js';

const HOME = `/nowhere/home-${process.pid}`;
const MARKS = { ORANGE_TASK_ID: 'taskone', ORANGE_LAUNCH_ID: 'worker-1', ORANGE_WORKSPACE: '/w' };

/** A process with these variables; it has said a word, so it runs with them. */
async function start(
  env: Readonly<Record<string, string>>,
): Promise<ChildProcess & { pid: number }> {
  const child = spawn('/bin/sh', ['-c', 'echo up; read line'], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return Object.assign(child, { pid: child.pid ?? 0 });
}

async function end(children: readonly ChildProcess[]): Promise<void> {
  for (const child of children) {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}

describe('processes of agents', () => {
  it('I7 are those of this home and no others', async () => {
    const ours = await start({ ...MARKS, ORANGE_HOME: HOME });
    const others = [
      await start({ ...MARKS, ORANGE_HOME: `${HOME}-other` }),
      await start({ ORANGE_TASK_ID: 'taskone', ORANGE_HOME: HOME }),
      await start({}),
    ];
    try {
      const found = must(await createProcessTable().findLaunched(HOME));
      expect(found).toEqual([
        {
          pid: ours.pid,
          start: createProcessTable().markOf(ours.pid)?.start,
          parent: process.pid,
          taskId: 'taskone',
          launchId: 'worker-1',
          workspace: '/w',
        },
      ]);
    } finally {
      await end([ours, ...others]);
    }
    expect(must(await createProcessTable().findLaunched(HOME))).toEqual([]);
  });
});
