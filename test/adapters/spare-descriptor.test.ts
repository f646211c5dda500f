import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pid as ownPid } from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDiskFiles } from '../../src/adapters/disk-files.js';
import { endProcessTree } from '../../src/adapters/end-process-tree.js';
import { findOccupants } from '../../src/adapters/find-occupants.js';
import { createProcessTable } from '../../src/adapters/process-table.js';
import { holdSpareDescriptor, lookSparingly } from '../../src/adapters/spare-descriptor.js';
import { must } from '../rigs/must.js';
import { withoutDescriptors } from '../rigs/without-descriptors.js';

const UNREADABLE = {
  ok: false,
  failure: { kind: 'io-failed', path: '/proc', operation: 'read', code: 'EMFILE' },
};

/** A process that can be known by its mark, until the test is over. */
function startMarked(launchId: string): number {
  // Pipes to it would be closed, and give their descriptors back, some time after it has ended.
  const child = spawn('/bin/sleep', ['1000'], {
    env: { ORANGE_LAUNCH_ID: launchId },
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  if (child.pid === undefined) throw new Error('sleep cannot be started');
  return child.pid;
}

// The order matters: once a process holds a spare descriptor, it holds it to its end.
describe('a process that can open no more files and holds none back', () => {
  it('F17 takes nobody for dead because it cannot look', async () => {
    const processes = createProcessTable();
    const pid = startMarked('unseen');
    const mark = processes.markOf(pid);
    expect(mark).toMatchObject({ pid, start: expect.stringContaining('/') as unknown });
    const seen = await withoutDescriptors(0, () => ({
      isAlive: processes.isAlive(mark ?? { pid, start: null }),
      now: processes.markOf(pid),
      gone: processes.isAlive({ pid: 2 ** 22 + 1, start: null }),
    }));
    expect(seen).toEqual({ isAlive: true, now: { pid, start: null }, gone: false });
  });

  it('F41 F42 says that it could not look for anybody, not that nobody is there', async () => {
    const processes = createProcessTable();
    const pid = startMarked('unlisted');
    const marker = { name: 'ORANGE_LAUNCH_ID', value: 'unlisted' } as const;
    const tree = { markers: [marker], recorders: [], known: [] };
    const seen = await withoutDescriptors(0, async () => [
      await processes.findMarked(marker),
      await processes.findLaunched('/home'),
      await processes.findTree(tree),
      await endProcessTree(processes, tree, { known: [], graceMs: 0 }),
      findOccupants(processes, '/'),
    ]);
    expect(seen).toEqual(seen.map(() => UNREADABLE));
    // Its shell may still be on its way to becoming the program.
    await expect
      .poll(async () => must(await processes.findMarked(marker)))
      .toMatchObject([{ pid }]);
  });
});

describe('a process that can open no more files and holds one back', () => {
  it('F17 F42 still sees who lives, and reads what it needs to know', async () => {
    holdSpareDescriptor();
    const processes = createProcessTable();
    const files = createDiskFiles();
    const pid = startMarked('seen');
    const marker = { name: 'ORANGE_LAUNCH_ID', value: 'seen' } as const;
    const seen = await withoutDescriptors(0, async () => ({
      marks: [processes.markOf(pid), processes.markOf(pid)],
      marked: await processes.findMarked(marker),
      text: files.readText('/proc/self/comm', 4096, 'lossy').ok,
      list: files.list('/').ok,
    }));
    const mark = processes.markOf(pid);
    expect(seen).toEqual({
      marks: [mark, mark],
      marked: { ok: true, value: [mark] },
      text: true,
      list: true,
    });
  });

  it('gives up only where even that one does not do', async () => {
    holdSpareDescriptor();
    const refused = Object.assign(new Error('EMFILE'), { code: 'EMFILE', syscall: 'open' });
    let looks = 0;
    const look = (): never => {
      looks += 1;
      throw refused;
    };
    expect(() => lookSparingly(look)).toThrow(refused);
    expect(looks).toBe(2);
    expect(lookSparingly(() => readFileSync(`/proc/${ownPid}/comm`, 'latin1'))).not.toBe('');
  });
});
