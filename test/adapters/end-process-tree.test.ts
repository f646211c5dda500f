import { expect, it, onTestFinished, vi } from 'vitest';
import { endProcessTree } from '../../src/adapters/end-process-tree.js';
import { createProcessTable, type ProcessTable } from '../../src/adapters/process-table.js';
import { success } from '../../src/domain/result.js';

it('F10 gives a process its whole grace when the clock is set forth meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const mark = { pid: 4711, start: 'boot/1' };
  const signals: string[] = [];
  let looks = 0;
  const processes: ProcessTable = {
    ...createProcessTable(),
    // It ends by itself when it has been looked at a few times.
    findTree: async ({ known }) => success(known.filter((one) => processes.isAlive(one))),
    isAlive: () => {
      looks += 1;
      return looks < 5;
    },
    signal: (_, signal) => {
      signals.push(signal);
      vi.setSystemTime(Date.now() + 3_600_000);
    },
  };
  const tree = { markers: [], recorders: [] };
  expect(await endProcessTree(processes, tree, { known: [mark], graceMs: 60_000 })).toEqual(
    success([]),
  );
  expect(signals).toEqual(['SIGHUP', 'SIGTERM', 'SIGCONT']);
});

it('F42 still kills a process after the daemon itself was held up for long', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const mark = { pid: 4711, start: 'boot/1' };
  const signals: string[] = [];
  const processes: ProcessTable = {
    ...createProcessTable(),
    findTree: async ({ known }) => success(known.filter((one) => processes.isAlive(one))),
    isAlive: () => !signals.includes('SIGKILL'),
    signal: (_, signal) => {
      signals.push(signal);
      if (signal === 'SIGTERM') vi.advanceTimersByTime(60_000);
    },
  };
  const tree = { markers: [], recorders: [] };
  expect(await endProcessTree(processes, tree, { known: [mark], graceMs: 2000 })).toEqual(
    success([]),
  );
  expect(signals).toContain('SIGKILL');
});
