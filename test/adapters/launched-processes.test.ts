import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProcessTable } from '../../src/adapters/process-table.js';
import { temporaryHome } from '../record/temporary-home.js';
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
          // It has a parent, which is no launcher: so it is with one that was given away.
          recorder: 'none',
          hasTerminal: expect.any(Boolean),
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

  it.each([
    ['is theirs', 'worker-1', true],
    ['is of another launch', 'worker-2', false],
  ])('F3 are told with the launcher above them if it %s', async (_, launch, isIts) => {
    using home = temporaryHome();
    const file = (name: string): string => join(home.paths.home, name);
    const env = Object.entries({ ...MARKS, ORANGE_HOME: HOME }).map((pair) => pair.join('='));
    // Below the launcher is a process that is no agent's, and below that two of an agent.
    writeFileSync(file('launcher.sh'), `sh -c 'env ${env.join(' ')} sh "$0"; :' "$0.agent"\n:\n`);
    writeFileSync(file('launcher.sh.agent'), "echo $$\nsh -c 'echo $$; read line; :'\n:\n");
    const argv = [file('launcher.sh'), '/nowhere/taskone', 'worker', 'given', launch, 'shop/x'];
    const launcher = spawn('/bin/sh', argv, { stdio: ['pipe', 'pipe', 'inherit'] });
    let said = '';
    launcher.stdout.on('data', (data: Buffer) => (said += data.toString()));
    try {
      await expect.poll(() => said.trim().split('\n').length).toBe(2);
      const found = must(await createProcessTable().findLaunched(HOME));
      const recorder = isIts ? launcher.pid : 'none';
      const members = said
        .trim()
        .split('\n')
        .map((pid) => ({ pid: Number(pid), recorder }));
      expect(found).toMatchObject(members);
    } finally {
      launcher.stdin.end();
      await once(launcher, 'exit');
    }
  });
});
