import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProcessTable } from '../../../src/adapters/process-table.js';
import { FINDING_CLASSES } from '../../../src/domain/finding.js';
import { failed, success } from '../../../src/domain/result.js';
import { DEFAULT_SETTINGS } from '../../../src/domain/settings.js';
import { workspaceViews } from '../../../src/daemon/build-view.js';
import { createPoolFile } from '../../../src/record/pool-file.js';
import type { LaunchedProcess } from '../../../src/doctor/survey.js';
import { TASK_ID } from '../../builders/task.js';
import { fakeLaunches, openDaemonHome } from '../daemon-home.js';
import { addWorktree, gitLike, mending, UNCLEAN, WORKSPACE } from './mending.js';

const UNUSABLE = { kind: 'worktree-unusable', workspace: WORKSPACE, reason: 'x' } as const;
const ALL = { classes: FINDING_CLASSES, reach: 'asked' } as const;

function writeAged(path: string, second: number): void {
  writeFileSync(path, '');
  utimesSync(path, second, second);
}

function namesIn(directory: string, suffix: string): readonly string[] {
  return readdirSync(directory).filter((name) => name.endsWith(suffix));
}

describe('the mender', () => {
  it('F20 writes a damaged pool file anew and keeps what stood there', async () => {
    using home = openDaemonHome();
    addWorktree(home);
    writeFileSync(home.paths.poolFile, '[]');
    const { mender } = mending(home);
    await mender.mendSafe();
    expect(JSON.stringify(createPoolFile(home.files, home.paths.poolFile).read())).toContain(
      '"shop--1":{"status":"available"}',
    );
    expect(existsSync(`${home.paths.poolFile}.damaged`)).toBe(true);
    expect(home.log.records).toContainEqual(expect.objectContaining({ event: 'mend.pool-file' }));
    expect(await mender.diagnose()).toEqual([]);
  });

  it('F7 cuts a torn tail, tells the history so, and finds nothing the second time', async () => {
    using home = openDaemonHome();
    home.addTask();
    const path = home.paths.historyFile('shop', TASK_ID);
    const whole = home.historyText(TASK_ID);
    writeFileSync(path, `${whole}{"type":"status.cha`);
    const { mender, notes } = mending(home);
    const report = await mender.mend({ classes: ['history-tail'], reach: 'safe' });
    expect(report).toMatchObject({ done: [{ class: 'history-tail' }], remaining: [] });
    expect(home.historyText(TASK_ID)).toBe(whole);
    expect(notes).toEqual([[TASK_ID, { type: 'history.repaired', cut: '{"type":"status.cha' }]]);
    expect(await mender.mend(ALL)).toEqual({ done: [], failed: [], remaining: [] });
  });

  it('ends nothing that is gone a moment later', async () => {
    using home = openDaemonHome();
    home.addTask({ status: 'done' });
    const session = { session: 'shop/x', taskId: TASK_ID, windows: [], launches: [] };
    const looks = [[session], []];
    const ended: string[] = [];
    const { mender } = mending(home, {
      lookAtTerminal: async () => ({ kind: 'listed', sessions: looks.shift() ?? [] }),
      sessions: {
        list: async () => success([]),
        endSession: async (taskId) => {
          ended.push(taskId);
          return success(undefined);
        },
      },
    });
    await mender.mendSafe();
    expect(ended).toEqual([]);
    looks.push([session], [session]);
    await mender.mendSafe();
    expect(ended).toEqual([TASK_ID]);
  });

  it('leaves a task alone for which something is being carried out', async () => {
    using home = openDaemonHome();
    home.addTask({ status: 'done' });
    const session = { session: 'shop/x', taskId: TASK_ID, windows: [], launches: [] };
    const { mender } = mending(home, {
      isBusyWith: () => true,
      lookAtTerminal: async () => ({ kind: 'listed', sessions: [session] }),
    });
    await mender.mendSafe();
    expect(home.log.records).toEqual([]);
  });

  it('makes a quarantined worktree anew that cannot be cleaned, and keeps its work', async () => {
    using home = openDaemonHome();
    addWorktree(home);
    home.world.quarantined.set(WORKSPACE, UNCLEAN);
    const pool = { ...DEFAULT_SETTINGS.pool, keepIgnored: false };
    home.world.settings.set('', { ...DEFAULT_SETTINGS, pool });
    const asked: unknown[] = [];
    const { mender } = mending(home, {
      repositories: gitLike({
        release: async (request) => {
          asked.push(request.keepIgnored);
          return failed(UNUSABLE);
        },
        rebuild: async () => success({ salvageRef: 'refs/orange/salvage/u/1' }),
      }),
    });
    await mender.mendSafe();
    expect(asked).toEqual([false]);
    expect(home.log.records).toContainEqual(
      expect.objectContaining({
        event: 'mend.quarantined',
        message: `made anew ${WORKSPACE}, what was in it is refs/orange/salvage/u/1`,
      }),
    );
    expect(home.world.quarantined.size).toBe(0);
    expect([...home.world.bare]).toEqual([WORKSPACE]);
  });

  it('tries that five times, ever less often, says why once, and leaves it to a person then', async () => {
    using home = openDaemonHome();
    const path = addWorktree(home);
    home.world.quarantined.set(WORKSPACE, UNCLEAN);
    let tries = 0;
    let isStubborn = true;
    const { mender } = mending(home, {
      repositories: gitLike({
        release: async () => failed(UNUSABLE),
        rebuild: async () => {
          tries += 1;
          return isStubborn ? failed(UNUSABLE) : success({ salvageRef: null });
        },
      }),
    });
    for (const [afterMs, triesThen] of [
      [0, 1],
      [1000, 1],
      [30_000, 2],
      [30_000, 2],
      [31_000, 3],
      [120_000, 4],
      [240_000, 5],
      [3_600_000, 5],
    ] as const) {
      home.clock.advance(afterMs);
      await mender.mendSafe();
      expect(tries).toBe(triesThen);
    }
    expect(home.log.records.filter(({ event }) => event === 'mend.failed')).toHaveLength(1);
    expect(await mender.diagnose()).toMatchObject([
      { class: 'quarantined', severity: 'error', fixable: 'with-fix', path },
    ]);
    expect(workspaceViews(home.world, (name) => name)).toMatchObject([
      { status: 'quarantined', set_aside: { given_up: true, reason: expect.stringMatching(/x/) } },
    ]);
    isStubborn = false;
    expect(await mender.mend({ classes: ['quarantined'], reach: 'asked' })).toMatchObject({
      done: [{ message: `made anew ${WORKSPACE}` }],
    });
    expect(home.world.quarantined.size).toBe(0);
  });

  it.each([
    ['somebody works in', { kind: 'worktree-occupied', worktree: 'x', pid: 7, command: 'vi' }],
    ['the disk is too full for', { kind: 'io-failed', path: 'x', operation: 'w', code: 'ENOSPC' }],
  ] as const)('waits with a quarantined worktree that %s', async (_what, failure) => {
    using home = openDaemonHome();
    addWorktree(home);
    home.world.quarantined.set(WORKSPACE, UNCLEAN);
    const { mender } = mending(home, {
      repositories: gitLike({
        release: async () => failed(failure),
        rebuild: async () => failed({ kind: 'internal', message: 'must not be asked' }),
      }),
    });
    for (let round = 0; round < 10; round += 1) {
      await mender.mendSafe();
      home.clock.advance(3_600_000);
    }
    expect(home.world.quarantined.get(WORKSPACE)).toMatchObject({ failures: 0 });
    expect(await mender.diagnose()).toMatchObject([{ class: 'quarantined', fixable: 'safe' }]);
  });

  it('F5 removes what a kill left of a worktree that was being made anew, and nothing beside it', async () => {
    using home = openDaemonHome();
    const aside = join(home.paths.workspacesDir, '.shop--1.0123456789ab.tmp');
    const other = join(home.paths.workspacesDir, '.mine');
    for (const path of [aside, other]) mkdirSync(join(path, 'deep'), { recursive: true });
    const { mender } = mending(home);
    await mender.mendSafe();
    expect([existsSync(aside), existsSync(other)]).toEqual([false, true]);
    expect(await mender.diagnose()).toEqual([]);
  });

  it('F46 has git forget a worktree that is gone and that no pool counts on', async () => {
    using home = openDaemonHome();
    const path = home.paths.workspace('shop--9');
    const gone = [{ path, movedTo: null, isLocked: false }];
    const { mender } = mending(home, {
      repositories: gitLike({
        findVanished: async () => success(gone),
        forgetVanished: async ({ worktree }) => {
          expect(worktree).toBe(path);
          gone.pop();
          return success({ salvageRef: 'refs/orange/salvage/unbound/1' });
        },
      }),
    });
    await mender.mendSafe();
    expect(home.log.records).toContainEqual(
      expect.objectContaining({
        event: 'mend.worktree-record',
        message: 'forgot shop--9, what was in it is refs/orange/salvage/unbound/1',
      }),
    );
    expect(await mender.diagnose()).toEqual([]);
  });

  it('F46 leaves one alone that was moved or locked, and says what to do', async () => {
    using home = openDaemonHome();
    const { mender } = mending(home, {
      repositories: gitLike({
        findVanished: async () =>
          success([
            { path: home.paths.workspace('shop--8'), movedTo: '/else/where', isLocked: false },
            { path: home.paths.workspace('shop--9'), movedTo: null, isLocked: true },
          ]),
        forgetVanished: async () => failed({ kind: 'internal', message: 'must not be asked' }),
      }),
    });
    await mender.mendSafe();
    expect(await mender.mend(ALL)).toMatchObject({ done: [], failed: [] });
    expect(await mender.diagnose()).toMatchObject([
      { class: 'worktree-foreign', remedy: expect.stringContaining('git -C /else/where worktree') },
      { class: 'worktree-foreign', remedy: expect.stringContaining('git worktree unlock') },
    ]);
  });

  it('I7 frees no worktree in which a process of an agent lives', async () => {
    using home = openDaemonHome();
    const path = addWorktree(home);
    const process: LaunchedProcess = {
      pid: 7,
      start: 'x',
      recorder: 'none',
      hasTerminal: false,
      taskId: 'gone',
      launchId: 'l',
      workspace: path,
    };
    const { mender } = mending(home, {
      processes: { ...createProcessTable(), findLaunched: async () => success([process]) },
      repositories: gitLike({
        inspectWorktree: async () => success({ branch: null, unrest: 'it is not clean' }),
        release: async () => failed({ kind: 'internal', message: 'must not be asked' }),
      }),
    });
    const report = await mender.mend({ classes: ['worktree-without-task'], reach: 'asked' });
    expect(report.failed).toEqual([
      expect.objectContaining({ reason: expect.stringContaining('process 7 still works in it') }),
    ]);
  });

  it('mends with asking only what was asked for', async () => {
    using home = openDaemonHome();
    home.addTask();
    chmodSync(home.paths.home, 0o755);
    const { mender } = mending(home);
    const order = { classes: ['permissions'], reach: 'safe' } as const;
    expect(await mender.mend(order)).toMatchObject({ done: [], remaining: [{}] });
    expect(await mender.mend({ ...order, reach: 'asked' })).toMatchObject({ remaining: [] });
  });

  it('removes what writes that were cut off left, and launch files of tasks that are over', async () => {
    using home = openDaemonHome();
    home.addTask({ status: 'done' });
    const litter = join(home.paths.home, '.projects.json.0123456789ab.tmp');
    const folder = home.paths.launchDir(TASK_ID);
    mkdirSync(folder, { recursive: true });
    writeFileSync(litter, '');
    utimesSync(litter, new Date(0), new Date(0));
    const forgotten: string[] = [];
    const { mender } = mending(home, {
      launches: { ...fakeLaunches(), forget: (id) => success(void forgotten.push(id)) },
    });
    await mender.mendSafe();
    expect(existsSync(litter)).toBe(false);
    expect(forgotten).toEqual([TASK_ID]);
  });

  it('keeps the newest screens of a task and the newest damaged intents, and every word', async () => {
    using home = openDaemonHome();
    home.addTask({ status: 'working' });
    const screens = home.paths.transcriptsDir('shop', TASK_ID);
    const intents = home.paths.damagedIntentsDir;
    for (const directory of [screens, intents]) mkdirSync(directory, { recursive: true });
    for (let number = 0; number < 23; number += 1) {
      writeAged(join(screens, `worker-${number}.txt`), 1000 - number);
      writeAged(join(screens, `late-edit-${number}.md`), 1000 - number);
      writeAged(join(intents, `${String(number).padStart(12, '0')}.json`), 1000 + number);
    }
    await mending(home).mender.mendSafe();
    expect(namesIn(screens, '.txt')).toHaveLength(20);
    expect(namesIn(screens, '.txt')).not.toContain('worker-20.txt');
    expect(namesIn(screens, '.md')).toHaveLength(23);
    expect(namesIn(intents, '.json')).toHaveLength(20);
    expect(namesIn(intents, '.json')).toContain('000000000022.json');
  });

  it('F24 removes the nameless socket of a daemon that was killed while it started', async () => {
    using home = openDaemonHome();
    mkdirSync(home.paths.runDir, { recursive: true });
    const dead = join(home.paths.runDir, '.0a1b2c3d');
    const file = join(home.paths.runDir, '.0a1b2c3e');
    writeFileSync(file, '');
    const made = spawnSync(process.execPath, [
      '-e',
      `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 9))`,
      dead,
    ]);
    expect([made.signal, existsSync(dead)]).toEqual(['SIGKILL', true]);
    await mending(home).mender.mendSafe();
    expect([existsSync(dead), existsSync(file)]).toEqual([false, true]);
  });

  it('F33 tells of the file of a finished task that somebody has broken since', async () => {
    using home = openDaemonHome();
    home.addTask({ status: 'done' });
    const path = home.paths.taskFile('shop', TASK_ID);
    const { mender } = mending(home);
    expect(await mender.diagnose()).toEqual([]);
    writeFileSync(path, 'null');
    expect(await mender.diagnose()).toMatchObject([
      { class: 'task-unreadable', task_id: TASK_ID, path, fixable: 'by-hand' },
    ]);
  });

  it('sets an intent aside that cannot be read', async () => {
    using home = openDaemonHome();
    mkdirSync(home.paths.outboxDir, { recursive: true });
    const path = join(home.paths.outboxDir, '000000000001.json');
    writeFileSync(path, '{"seq":1,\n');
    const { mender } = mending(home);
    const report = await mender.mend({ classes: ['outbox'], reach: 'asked' });
    expect(report).toMatchObject({ done: [{ path }], remaining: [] });
    expect(existsSync(join(home.paths.runDir, 'outbox-damaged', '000000000001.json'))).toBe(true);
  });
});
