import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  checkAgents,
  checkPool,
  checkTask,
  daemonPid,
  movesOf,
  spawnDaemon,
} from './daemon-checks.js';
import { createRig, type Rig } from './orange-rig.js';
import { fillDisk, makeReadOnly, mountDisk } from './small-disk.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'] as const;
/** Plans when it is told to, and says so. */
const PLANNER = {
  agents: {
    plain: {
      worker: `await_go "$ORANGE_BRANCH"; add Plan 'APPROACH: x'; say "$ORANGE_BRANCH"; idle`,
    },
  },
};
/** In a user namespace of its own the limit is this daemon's alone. */
const WITHOUT_INOTIFY = [
  'unshare',
  '--user',
  '--map-root-user',
  'sh',
  '-c',
  'echo 0 > /proc/sys/user/max_inotify_instances && exec "$@"',
  'sh',
];
/** Permissions bind this one even where the tests are run by root. */
const WITHOUT_PRIVILEGES =
  process.getuid?.() === 0
    ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--inh-caps=-all']
    : [];

type Refused = { readonly error: { readonly message: string; readonly hint: string } };

/** What somebody is told who asks for something that cannot be done now: one line, and a remedy. */
async function refusalOf(rig: Rig, ...args: readonly string[]): Promise<string> {
  const answer = await rig.orange(...args, '--json');
  expect(answer.code, answer.stdout).toBe(1);
  const { message, hint } = answer.json<Refused>().error;
  return `${message} ${hint}`;
}

async function startPlanner(rig: Rig, branch: string): Promise<string> {
  const id = await rig.create(branch, 'x', ...PLAIN);
  await rig.waitForStatus(id, 'planning');
  return id;
}

/** Starts the daemon under a command; gives its pid, or null where that command cannot be run. */
async function startUnder(rig: Rig, wrap: readonly string[]): Promise<number | null> {
  const [program = 'true', ...args] = wrap;
  if (spawnSync(program, [...args, 'true'], { stdio: 'ignore' }).status !== 0) return null;
  const child = spawnDaemon(rig, {}, wrap);
  const socket = join(rig.home, 'run', 'daemon.sock');
  await rig.until('the daemon', () => child.exitCode !== null || existsSync(socket));
  return daemonPid(rig);
}

/** What must hold after any limit: one daemon all along, every task whole, each event once. */
function checkHome(rig: Rig, pid: number | null, ids: readonly string[]): void {
  expect(daemonPid(rig)).toBe(pid);
  for (const id of ids) {
    checkTask(rig, id);
    checkAgents(rig, id);
    expect(movesOf(rig.history(id))).toEqual(['pending → planning', 'planning → working']);
  }
  checkPool(rig, ids);
}

describe('a home whose disk', () => {
  it('F13 F14 fills up refuses what it cannot keep, and goes on when there is room', async ({
    skip,
  }) => {
    using disk = mountDisk('12m') ?? skip('only root may mount a small disk');
    await using rig = await createRig({ ...PLANNER, home: disk.path });
    const first = await startPlanner(rig, 'first');
    const pid = daemonPid(rig);
    const makeRoom = fillDisk(disk.path);
    rig.go('first');
    await rig.until('the plan', () => rig.said().includes('first'));
    const isFull = /^Could not (?:create|replace) \/\S+: the disk is full\. Free some space; /;
    expect(await refusalOf(rig, 'task', 'update', first, '--summary', 'y')).toMatch(isFull);
    expect(await refusalOf(rig, 'task', 'create', 'second', 'x', ...PLAIN)).toMatch(isFull);
    expect(await refusalOf(rig, 'task', 'cancel', first, '--yes')).toMatch(isFull);
    for (const look of [['inbox'], ['ls'], ['doctor'], ['daemon', 'status']]) {
      const { stdout } = await rig.orange(...look);
      expect([look, stdout]).toEqual([look, expect.stringContaining('the disk is full')]);
    }
    expect((await rig.orange('doctor')).stdout).toMatch(/the disk of \S+ is full/);
    const list = await rig.must('task', 'list', '--json');
    expect(list.json<unknown[]>()).toHaveLength(1);
    makeRoom();
    await rig.waitForStatus(first, 'working');
    const second = await startPlanner(rig, 'second');
    rig.go('second');
    await rig.waitForStatus(second, 'working');
    checkHome(rig, pid, [first, second]);
  });

  it('F19 turns read-only refuses what it cannot keep, and goes on when it can be written', async ({
    skip,
  }) => {
    await using rig = await createRig(PLANNER);
    const first = await startPlanner(rig, 'first');
    const pid = daemonPid(rig);
    {
      using _ = makeReadOnly(rig.home) ?? skip('only root may make a directory read-only');
      const isReadOnly = /^Could not .+ \/\S+: the disk is read-only\. Make the disk writable/;
      expect(await refusalOf(rig, 'task', 'update', first, '--summary', 'y')).toMatch(isReadOnly);
      expect(await refusalOf(rig, 'task', 'create', 'other', 'x', ...PLAIN)).toMatch(isReadOnly);
      await rig.must('task', 'list');
    }
    await rig.must('task', 'update', first, '--summary', 'y');
    rig.go('first');
    await rig.waitForStatus(first, 'working');
    checkHome(rig, pid, [first]);
    expect(rig.history(first).filter(({ type }) => type === 'task.updated')).toHaveLength(1);
  });
});

describe('a daemon that', () => {
  it('F17 has no file left to open lives, and serves those who wait once it has', async ({
    skip,
  }) => {
    await using rig = await createRig(PLANNER);
    const first = await startPlanner(rig, 'first');
    const pid = daemonPid(rig);
    if (!limitFiles(pid, lowestFree(pid))) skip('prlimit is missing');
    await knockUntilShut(rig);
    rig.go('first');
    await rig.until('the plan', () => rig.said().includes('first'));
    const waiting = ['y', 'z'].map(async (text) =>
      rig.must('task', 'update', first, '--summary', text),
    );
    await knockUntilShut(rig);
    limitFiles(pid, 4096);
    await Promise.all(waiting);
    await rig.waitForStatus(first, 'working');
    checkHome(rig, pid, [first]);
    const types = rig.history(first).map(({ type }) => type);
    expect(types.filter((type) => type === 'task.updated')).toHaveLength(2);
    // Its agent lived all the time.
    expect(types).not.toContain('agent.crashed');
    expect(types).not.toContain('agent.interrupted');
    expect(types.filter((type) => type === 'agent.spawned')).toHaveLength(1);
  });

  it('F17 G10 has too few files to clean a worktree frees it within seconds once it has enough', async ({
    skip,
  }) => {
    await using rig = await createRig(PLANNER);
    const first = await startPlanner(rig, 'first');
    const pid = daemonPid(rig);
    // Enough to hear a client and to write down what it wants, and too few to run git.
    if (!limitFiles(pid, lowestFree(pid, 7))) skip('prlimit is missing');
    await rig.must('task', 'cancel', first, '--yes');
    await rig.waitForEvent(first, ({ type }) => type === 'workspace.quarantined');
    limitFiles(pid, 4096);
    await rig.until('the worktree', () => rig.pool()['shop--1']?.status === 'available', 10_000);
    // Nothing holds the branch any more.
    const again = await startPlanner(rig, 'first');
    expect(rig.history(again).map(({ type }) => type)).not.toContain('spawn.failed');
    expect(daemonPid(rig)).toBe(pid);
  });

  it('F18 may watch no file says so, and looks at every task by itself', async ({ skip }) => {
    await using rig = await createRig(PLANNER);
    const pid = await startUnder(rig, WITHOUT_INOTIFY);
    if (pid === null) skip('no user namespace can be made here');
    const first = await startPlanner(rig, 'first');
    const status = await rig.must('daemon', 'status', '--json');
    expect(status.json()).toMatchObject({
      sources: { files: { state: 'broken', reason: 'EMFILE', directories: 0 }, sweep: 'full' },
    });
    const doctor = await rig.orange('doctor', '--json');
    expect(doctor.json()).toContainEqual({
      check: 'events',
      level: 'warn',
      message: 'files cannot all be watched (EMFILE), only 0 directories',
      remedy: expect.stringContaining('raise fs.inotify.max_user_instances (sysctl)'),
    });
    rig.go('first');
    await rig.waitForStatus(first, 'working');
    checkHome(rig, pid, [first]);
  });

  it('F16 may not read one task names the file, serves the others, also after a start, and goes on when it may', async ({
    skip,
  }) => {
    await using rig = await createRig({ ...PLANNER, settings: { reconcile_seconds: 1 } });
    const pid = await startUnder(rig, WITHOUT_PRIVILEGES);
    if (pid === null) skip('setpriv is missing');
    const closed = await startPlanner(rig, 'closed');
    const other = await startPlanner(rig, 'other');
    const file = rig.taskFile(closed);
    chmodSync(file, 0);
    const refused = await refusalOf(rig, 'task', 'update', closed, '--summary', 'y');
    expect(refused).toContain(`Could not read ${file}: permission denied. Give yourself the right`);
    const doctor = await rig.orange('doctor', '--json');
    expect(doctor.stdout).toContain('task-unreadable');
    chmodSync(file, 0o600);
    chmodSync(rig.taskDir(closed), 0);
    await rig.must('daemon', 'stop');
    const next = await startUnder(rig, WITHOUT_PRIVILEGES);
    rig.go('other');
    await rig.waitForStatus(other, 'working');
    const again = await rig.orange('doctor', '--json');
    const found = again.json<readonly { check: string; message: string }[]>();
    expect(found.filter(({ message }) => message.includes(closed))).toMatchObject([
      { check: 'task-unreadable' },
    ]);
    expect(rig.pool()).toMatchObject({ 'shop--1': { status: 'bound', task_id: closed } });
    chmodSync(rig.taskDir(closed), 0o700);
    rig.go('closed');
    await rig.waitForStatus(closed, 'working');
    checkHome(rig, next, [closed, other]);
  });
});

/** Sets how many files a process may have open; false where that cannot be done. */
function limitFiles(pid: number | null, count: number): boolean {
  return spawnSync('prlimit', ['--pid', String(pid), `--nofile=${count}:`]).status === 0;
}

/** The descriptor that the next file would get, or the one after so many more. */
function lowestFree(pid: number | null, after = 0): number {
  const open = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  let next = 0;
  for (let free = 0; open.has(next) || free < after; next += 1) if (!open.has(next)) free += 1;
  return next;
}

/** Comes to the daemon as a client, and stays, until one is turned away; then all leave. */
async function knockUntilShut(rig: Rig): Promise<void> {
  const inside: Socket[] = [];
  for (let isIn = true; isIn; ) {
    const socket = connect(join(rig.home, 'run', 'daemon.sock'));
    inside.push(socket);
    isIn = await new Promise<boolean>((resolve) => {
      socket.on('error', () => undefined);
      socket.once('data', () => resolve(true)).once('close', () => resolve(false));
    });
  }
  for (const socket of inside) socket.destroy();
}
