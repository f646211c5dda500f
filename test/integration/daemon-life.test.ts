import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  agentProcesses,
  checkAgents,
  checkTask,
  daemonPid,
  environmentOf,
  exitCodeOf,
  isAlive,
  killDaemon,
  launchesAlive,
  spawnDaemon,
} from './daemon-checks.js';
import { createRig, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
const IDLE_AGENT = { plain: { worker: 'say start; idle' } };

type Status = { readonly running: boolean; readonly pid: number; readonly [key: string]: unknown };

async function statusOf(rig: Rig): Promise<Status> {
  return (await rig.must('daemon', 'status', '--json')).json<Status>();
}

describe('the daemon', () => {
  it('is one, however many start it at once', async () => {
    await using rig = await createRig();
    for (let round = 0; round < 10; round += 1) {
      const starts = await Promise.all(
        [1, 2, 3].map(async () => rig.orange('daemon', 'start', '--json')),
      );
      expect(
        starts.map(({ code, stderr }) => ({ code, stderr: code === 0 ? '' : stderr })),
      ).toEqual([1, 2, 3].map(() => ({ code: 0, stderr: '' })));
      const pids = new Set(starts.map((start) => start.json<Status>().pid));
      expect(pids.size).toBe(1);
      expect([...pids]).toEqual([daemonPid(rig)]);
      await killDaemon(rig);
    }
  });

  it('F23 leaves the home to the first when its program is started three times, with exit code 100', async () => {
    await using rig = await createRig();
    const started = [1, 2, 3].map(() => spawnDaemon(rig));
    const codes = new Map<number | undefined, number | null>();
    for (const child of started) child.on('exit', (code) => codes.set(child.pid, code));
    await rig.until('two losers', () => codes.size === 2);
    expect([...codes.values()]).toEqual([100, 100]);
    const winner = started.find(({ pid }) => !codes.has(pid));
    // The losers may be gone before the winner answers.
    const pid = async (): Promise<unknown> => (await statusOf(rig)).pid;
    await expect.poll(pid, { timeout: 30_000 }).toBe(winner?.pid);
  });

  it('is started by whatever changes something, and answers `start` again with 0', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT });
    expect(await statusOf(rig)).toMatchObject({ running: false });
    await rig.create('first', 'x', '--no-spawn', ...PLAIN);
    const { pid } = await statusOf(rig);
    const again = await rig.must('daemon', 'start', '--json');
    expect(again.json<Status>().pid).toBe(pid);
  });

  it('tells how it is', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT });
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    await expect
      .poll(() => statusOf(rig), { timeout: 30_000 })
      .toMatchObject({ sources: { terminals: { state: 'connected' } } });
    expect(await statusOf(rig)).toEqual({
      running: true,
      pid: daemonPid(rig),
      uptime_s: expect.any(Number),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      socket: join(rig.home, 'run', 'daemon.sock'),
      home: rig.home,
      tasks: 1,
      sessions: 1,
      rss_bytes: expect.any(Number),
      loop_lag_ms: {
        p50: expect.any(Number),
        p99: expect.any(Number),
        max: expect.any(Number),
      },
      sources: {
        terminals: { state: 'connected', since: expect.any(String) },
        files: { state: 'watching', since: expect.any(String), directories: expect.any(Number) },
        sweep: 'net',
      },
      settings: 'as-written',
      unwritten: null,
    });
  });

  it('is gone when `stop` returns, and agents go on and are adopted by the next one', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT });
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    const pid = daemonPid(rig);
    const [agent] = agentProcesses(id, 'worker');
    expect((await rig.orange('daemon', 'stop')).code).toBe(0);
    expect(pid === null || isAlive(pid)).toBe(false);
    expect(agent !== undefined && isAlive(agent.pid)).toBe(true);
    expect((await rig.must('daemon', 'stop', '--json')).json()).toMatchObject({
      was_running: false,
    });
    const restarted = await rig.must('daemon', 'restart', '--json');
    expect(restarted.json<Status>()).toMatchObject({ running: true, sessions: 1 });
    expect(rig.said()).toEqual(['start']);
    checkTask(rig, id);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'F8 ends on %s with 0 and leaves agents alone',
    async (signal) => {
      await using rig = await createRig({ agents: IDLE_AGENT });
      const child = spawnDaemon(rig);
      const ended = exitCodeOf(child);
      await rig.until('daemon', () => daemonPid(rig) === child.pid);
      const id = await rig.create('first', 'x', ...PLAIN);
      await rig.waitForStatus(id, 'planning');
      child.kill(signal);
      expect(await ended).toBe(0);
      expect(agentProcesses(id, 'worker')).not.toEqual([]);
      await rig.must('task', 'update', id, '--summary', 'after');
      expect(launchesAlive(id, 'worker')).toHaveLength(1);
      expect(rig.said()).toEqual(['start']);
    },
  );

  it('F24 starts over the socket file of one that was killed', async () => {
    await using rig = await createRig();
    await rig.must('daemon', 'start');
    const first = daemonPid(rig);
    await killDaemon(rig);
    expect(lstatSync(join(rig.home, 'run', 'daemon.sock')).isSocket()).toBe(true);
    await rig.must('daemon', 'start');
    expect(daemonPid(rig)).not.toBe(first);
  });

  it('removes no file that stands where its socket belongs, and names it', async () => {
    await using rig = await createRig();
    const path = join(rig.home, 'run', 'daemon.sock');
    rig.write(path, 'not a socket\n');
    const start = await rig.orange('daemon', 'start', '--json');
    expect(start.code).toBe(1);
    expect(start.json()).toMatchObject({ error: { message: expect.stringContaining(path) } });
    expect(rig.read(path)).toBe('not a socket\n');
  });

  it('F25 refuses a home whose socket path is too long, and says what to do', async () => {
    await using rig = await createRig();
    const home = join(rig.root, 'h'.repeat(100));
    const start = await rig.run(['daemon', 'start', '--json'], { env: { ORANGE_HOME: home } });
    expect(start.code).toBe(1);
    const { error } = start.json<{ error: { message: string; hint: string } }>();
    expect(error.message).toContain(join(home, 'run', 'daemon.sock'));
    expect(error.message).toContain('at most 103 bytes');
    expect(error.hint).toContain('ORANGE_HOME');
  });

  it.skipIf(process.getuid?.() === 0)(
    'F19 refuses a home it cannot write (root can write anywhere)',
    async () => {
      await using rig = await createRig();
      const home = join(rig.root, 'locked');
      mkdirSync(home, { mode: 0o500 });
      const start = await rig.run(['daemon', 'start', '--json'], { env: { ORANGE_HOME: home } });
      expect(start.code).toBe(1);
      expect(start.stdout).toContain(home);
    },
  );

  it('F19 refuses a home that is a file', async () => {
    await using rig = await createRig();
    const home = join(rig.root, 'file');
    writeFileSync(home, '');
    const start = await rig.run(['daemon', 'start', '--json'], { env: { ORANGE_HOME: home } });
    expect(start.code).toBe(1);
    expect(start.json()).toMatchObject({ error: { message: expect.stringContaining(home) } });
  });

  it('ORA-3 ORA-4 logs JSON lines to orange.log, a link to the current file', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT });
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    const log = join(rig.home, 'orange.log');
    expect(lstatSync(log).isSymbolicLink()).toBe(true);
    const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean);
    const records = lines.map((line): Record<string, unknown> => JSON.parse(line));
    expect(records.map(({ event }) => event)).toContain('daemon.started');
    expect(records.every((record) => typeof record['time'] !== 'undefined')).toBe(true);
    await killDaemon(rig);
    await rig.must('daemon', 'start');
    const after = readFileSync(log, 'utf8').split('\n').filter(Boolean);
    expect(after.slice(0, lines.length)).toEqual(lines);
    expect(after.length).toBeGreaterThan(lines.length);
  });

  it('started from inside an agent hands nothing of that agent to others', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT });
    const inherited = {
      ORANGE_ROLE: 'reviewer',
      ORANGE_TASK_ID: 'zzzzzzzzzzzzzzzzzzzzz',
      ORANGE_LAUNCH_ID: 'worker-foreign',
      ORANGE_SLOT: '99',
      TMUX: '/tmp/foreign,1,0',
      KEPT: 'yes',
    };
    // Agents may not create tasks, but what they run may start the daemon.
    await rig.run(['daemon', 'start'], { env: inherited });
    const daemon = environmentOf(daemonPid(rig) ?? 0);
    for (const name of [
      'ORANGE_ROLE',
      'ORANGE_TASK_ID',
      'ORANGE_LAUNCH_ID',
      'ORANGE_SLOT',
      'TMUX',
    ]) {
      expect(daemon.has(name), name).toBe(false);
    }
    expect(daemon.get('KEPT')).toBe('yes');
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    const [worker] = agentProcesses(id, 'worker');
    expect(worker?.env.get('ORANGE_SLOT')).toBe('1');
    expect(worker?.env.get('ORANGE_LAUNCH_ID')).not.toBe('worker-foreign');
    expect(agentProcesses('zzzzzzzzzzzzzzzzzzzzz', 'reviewer')).toEqual([]);
    checkAgents(rig, id);
  });
});
