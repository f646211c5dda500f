import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ProcessCensus } from '../../src/adapters/process-census.js';

const BOOT = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

/** A shell that does the next step whenever it is given a line, and says that it is done. */
async function startShell(script: string) {
  const shell = spawn('/bin/sh', ['-c', script], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void shell.kill('SIGKILL'));
  await once(shell.stdout, 'data');
  return {
    pid: shell.pid ?? 0,
    goOn: async () => {
      shell.stdin.write('go on\n');
      await once(shell.stdout, 'data');
    },
  };
}

async function marksOf(census: ProcessCensus, pid: number): Promise<readonly string[] | undefined> {
  return (await census.take()).find((one) => one.pid === pid)?.marks;
}

describe('a count of processes', () => {
  it('F42 sees the marks that a process gets long after it was first counted', async () => {
    const census = new ProcessCensus('/proc', BOOT);
    const agent = 'echo up; read line; exec sleep 1000';
    const shell = await startShell(
      `echo up; read line; ORANGE_LAUNCH_ID=l1 ORANGE_TASK_ID=t1 exec /bin/sh -c '${agent}'`,
    );
    expect(await marksOf(census, shell.pid)).toEqual([]);
    expect(await marksOf(census, shell.pid)).toEqual([]);
    await shell.goOn();
    const marks = ['ORANGE_LAUNCH_ID=l1', 'ORANGE_TASK_ID=t1'];
    expect((await marksOf(census, shell.pid))?.toSorted()).toEqual(marks);
  });

  it('sees what a process began, though it has marks from its parent alone', async () => {
    const census = new ProcessCensus('/proc', BOOT);
    const shell = await startShell(
      `ORANGE_LAUNCH_ID=l2 exec /bin/sh -c 'echo up; read line; (trap "" HUP; echo up; read line; :)'`,
    );
    await census.take();
    await shell.goOn();
    const marked = (await census.take()).filter(({ marks }) =>
      marks.includes('ORANGE_LAUNCH_ID=l2'),
    );
    expect(marked).toHaveLength(2);
    expect(marked.map(({ parent }) => parent)).toContain(shell.pid);
  });

  it('is shared by those who ask together, and begins after the question', async () => {
    const census = new ProcessCensus('/proc', BOOT);
    const [one, two] = [census.take(), census.take()];
    const first = await one;
    expect(await two).toBe(first);
    const shell = await startShell('echo up; read line');
    const later = await census.take();
    expect(later).not.toBe(first);
    expect(later.map(({ pid }) => pid)).toContain(shell.pid);
  });

  it('that is under way does not serve those who ask now', async () => {
    const census = new ProcessCensus('/proc', BOOT);
    const before = census.take();
    // The first reads every environment, so it takes several turns; by the second it has begun.
    await new Promise((resolve) => void setImmediate(() => setImmediate(resolve)));
    const after = census.take();
    expect(await after).not.toBe(await before);
  });
});
