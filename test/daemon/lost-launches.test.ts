import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProcessTable, type ProcessTable } from '../../src/adapters/process-table.js';
import type { Recorder } from '../../src/doctor/survey.js';
import { LostLaunches } from '../../src/daemon/lost-launches.js';
import { failed, success } from '../../src/domain/result.js';
import type { Sessions } from '../../src/ports.js';
import { temporaryHome } from '../record/temporary-home.js';
import { memoryLog } from './daemon-home.js';

type Launched = Awaited<ReturnType<ProcessTable['findLaunched']>>;
type Listed = Awaited<ReturnType<Sessions['list']>>;

const LOST = { taskId: 'taskone', window: 'worker', launchId: 'l1' } as const;
const HERE = process.pid;
const UNREADABLE = { kind: 'io-failed', path: '/proc', operation: 'read', code: 'EIO' } as const;

/** Processes of the launch, each with the launcher above it. */
function launched(...recorders: readonly Recorder[]): Launched {
  const { taskId, launchId } = LOST;
  return success(
    recorders.map((recorder, n) => ({
      pid: 4242 + n,
      start: null,
      recorder,
      hasTerminal: true,
      taskId,
      launchId,
      workspace: null,
    })),
  );
}

function listed(launches: readonly { window: string; launchId: string }[]): Listed {
  return success([{ session: 'shop/x', taskId: 'taskone', windows: ['worker'], launches }]);
}

const NOBODY: Launched = success([]);
const ITS_WINDOW = listed([{ window: 'worker', launchId: 'l1' }]);
const NO_WINDOW = listed([{ window: 'worker', launchId: 'l2' }]);
const NO_ANSWER: Listed = failed(UNREADABLE);

function givenMachine(first: { readonly processes: Launched; readonly terminals: Listed }) {
  const home = temporaryHome();
  const log = memoryLog();
  let seen = first;
  let looks = 0;
  const list = async (): Promise<Listed> => {
    looks += 1;
    return seen.terminals;
  };
  const processes = { ...createProcessTable(), findLaunched: async () => seen.processes };
  const lost = new LostLaunches({ ...home, log, sessions: { list }, processes, pauseMs: 5 });
  return {
    log,
    record: join(home.paths.runDir, LOST.taskId, 'worker.pid'),
    show(next: typeof seen): void {
      seen = next;
    },
    looksUntil: async (count: number): Promise<void> => {
      await expect.poll(() => looks, { interval: 1 }).toBe(count);
    },
    isGone: (): boolean => lost.isGone(LOST),
    /** Asks until somebody is known to be gone, or was looked for several times. */
    async verdict(): Promise<boolean> {
      let isGone = false;
      const isOver = (): boolean => {
        isGone ||= lost.isGone(LOST);
        return isGone || looks >= 4;
      };
      await expect.poll(isOver, { interval: 2 }).toBe(true);
      return isGone;
    },
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

describe('an agent whose launch record is lost', () => {
  it.each<readonly [string, Launched, Listed, boolean]>([
    ['is gone with its processes and its window', NOBODY, NO_WINDOW, true],
    ['is gone with its processes while the terminals are silent', NOBODY, NO_ANSWER, true],
    ['is gone when only orphans of it are left', launched('none', 'none'), NO_WINDOW, true],
    ['is not gone while it has a process', launched('none', HERE), NO_WINDOW, false],
    ['is not gone while nobody can tell orphans', launched('unknown'), NO_WINDOW, false],
    ['is not given an orphan’s foster parent', launched('none'), ITS_WINDOW, false],
    ['is not given one of two launchers', launched(HERE, process.ppid), ITS_WINDOW, false],
    ['is not gone while orphans may have a terminal', launched('none'), NO_ANSWER, false],
    ['is not gone while it has a window', NOBODY, ITS_WINDOW, false],
    ['is not gone while nobody can look', failed(UNREADABLE), NO_WINDOW, false],
  ])('F3 %s', async (_, processes, terminals, expected) => {
    using machine = givenMachine({ processes, terminals });
    expect(await machine.verdict()).toBe(expected);
    expect(existsSync(machine.record)).toBe(false);
  });

  it('F3 is looked for a second time before it counts as gone', async () => {
    using machine = givenMachine({ processes: NOBODY, terminals: NO_WINDOW });
    expect(machine.isGone()).toBe(false);
    await machine.looksUntil(1);
    machine.show({ processes: launched(HERE), terminals: NO_WINDOW });
    expect(await machine.verdict()).toBe(false);
  });

  it.each([
    ['', launched(HERE)],
    [' beside orphans of its own', launched('none', HERE, HERE)],
  ])('F3 gets the record back where it is found in its window%s', async (_, processes) => {
    using machine = givenMachine({ processes, terminals: ITS_WINDOW });
    expect(await machine.verdict()).toBe(false);
    const record: unknown = JSON.parse(readFileSync(machine.record, 'utf8'));
    expect(record).toMatchObject({ launch: 'l1', session: 'shop/x', pid: HERE });
    expect(machine.log.records[0]).toMatchObject({ event: 'mend.launch-record', task: 'taskone' });
  });

  it('F3 whose record cannot be written is complained of once', async () => {
    using machine = givenMachine({ processes: launched(HERE), terminals: ITS_WINDOW });
    mkdirSync(machine.record, { recursive: true });
    expect(await machine.verdict()).toBe(false);
    expect(machine.log.records.map(({ event }) => event)).toEqual(['mend.failed']);
  });
});
