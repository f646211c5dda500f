import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import type { DaemonStart, SpawnedDaemon } from '../../src/adapters/spawn-daemon.js';
import { spawnDaemon } from '../../src/adapters/spawn-daemon.js';
import { connect } from '../../src/api/client.js';
import { ensureDaemon } from '../../src/api/ensure-daemon.js';

const workshop = mkdtempSync(join(tmpdir(), 'or-spawn-'));
const started: number[] = [];
afterEach(() => {
  for (const pid of started.splice(0)) {
    if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL');
  }
});
afterAll(() => rmSync(workshop, { recursive: true, force: true }));

function planStart(name: string, script: string, env: DaemonStart['env'] = {}): DaemonStart {
  const home = join(workshop, name);
  const daemonEntry = join(workshop, `${name}.mjs`);
  writeFileSync(daemonEntry, script);
  return {
    nodePath: process.execPath,
    daemonEntry,
    home,
    env: { PATH: process.env['PATH'], ...env },
    logPath: join(home, 'run', 'daemon.err'),
  };
}

async function mustSpawn(start: DaemonStart): Promise<SpawnedDaemon> {
  const spawned = await spawnDaemon(start);
  if (!spawned.ok) throw new Error(JSON.stringify(spawned.failure));
  started.push(spawned.value.pid);
  return spawned.value;
}

const REPORT = `import { writeFileSync, renameSync, readFileSync } from 'node:fs';
  writeFileSync('draft', JSON.stringify({
    env: process.env, cwd: process.cwd(), tty: process.stdin.isTTY ?? false,
    stat: readFileSync('/proc/self/stat', 'utf8') }));
  renameSync('draft', 'report');
  setInterval(() => {}, 1000);`;

async function readReport(home: string): Promise<Record<string, unknown>> {
  return vi.waitFor(
    () => {
      const report: unknown = JSON.parse(readFileSync(join(home, 'report'), 'utf8'));
      return typeof report === 'object' && report !== null ? { ...report } : {};
    },
    { timeout: 20_000 },
  );
}

describe('starting the daemon', () => {
  it('gives it a session of its own, its home as directory and no terminal', async () => {
    const start = planStart('own', REPORT);
    const daemon = await mustSpawn(start);
    const report = await readReport(start.home);
    expect(report).toMatchObject({ cwd: start.home, tty: false });
    const fields = String(report['stat']).split(') ')[1]?.split(' ');
    expect([fields?.[2], fields?.[3]]).toEqual([String(daemon.pid), String(daemon.pid)]);
    expect(daemon.exit()).toBeNull();
    expect(statSync(start.logPath).mode & 0o777).toBe(0o600);
  });

  it('keeps an agent’s own variables from it', async () => {
    const start = planStart('env', REPORT, {
      ORANGE_HOME: '/elsewhere',
      ORANGE_TMUX_SOCKET: '/tmp/t.sock',
      ORANGE_DEMO_DELAY_MS: '5',
      ORANGE_ROLE: 'worker',
      ORANGE_TASK_ID: 'abc',
      ORANGE_LAUNCH_ID: 'xyz',
      TMUX: '/tmp/tmux-0/default,1,0',
      ANTHROPIC_API_KEY: 'kept',
    });
    await mustSpawn(start);
    const { env } = await readReport(start.home);
    expect(env).toMatchObject({
      ORANGE_HOME: start.home,
      ORANGE_TMUX_SOCKET: '/tmp/t.sock',
      ORANGE_DEMO_DELAY_MS: '5',
      ANTHROPIC_API_KEY: 'kept',
    });
    for (const name of ['ORANGE_ROLE', 'ORANGE_TASK_ID', 'ORANGE_LAUNCH_ID', 'TMUX']) {
      expect(env).not.toHaveProperty(name);
    }
  });

  it('knows how it ended and what it said last, not what an earlier one said', async () => {
    const first = planStart('ends', "console.error('old words'); process.exit(3);");
    const one = await mustSpawn(first);
    await vi.waitFor(() => expect(one.exit()).toEqual({ code: 3, lastLine: 'old words' }), 20_000);
    const silent = await mustSpawn(planStart('ends', 'process.exit(4);'));
    await vi.waitFor(() => expect(silent.exit()).toEqual({ code: 4, lastLine: '' }), 20_000);
    const crash = await mustSpawn(
      planStart('ends', "console.error('one\\n\\u001b[31mtwo\\u001b[0m\\n'); process.exit(1);"),
    );
    await vi.waitFor(() => expect(crash.exit()).toEqual({ code: 1, lastLine: 'two' }), 20_000);
  });

  it('names a pipe that stands where its last words go, and does not wait at it', async () => {
    const start = planStart('pipe', 'process.exit(0);');
    mkdirSync(dirname(start.logPath), { recursive: true });
    execFileSync('mkfifo', [start.logPath]);
    const failure = { kind: 'io-failed', path: start.logPath, operation: 'open', code: 'ENXIO' };
    expect(await spawnDaemon(start)).toEqual({ ok: false, failure });
  });

  it('fails with the reason when there is no such program', async () => {
    const start = { ...planStart('none', ''), nodePath: '/no/such/node' };
    expect(await spawnDaemon(start)).toEqual({
      ok: false,
      failure: { kind: 'io-failed', path: '/no/such/node', operation: 'run', code: 'ENOENT' },
    });
  });

  it('is tried until it answers, with a real socket', async () => {
    const start = planStart(
      'real',
      `import { createServer } from 'node:net';
       setTimeout(() => createServer((s) => s.write(
         JSON.stringify({ orange: '1', protocol: 1, pid: process.pid }) + '\\n'))
         .listen(process.env.ORANGE_HOME + '/s'), 100);`,
    );
    const client = await ensureDaemon({
      connect: async () => connect({ socketPath: join(start.home, 's'), timeoutMs: 1000 }),
      spawn: async () => {
        const spawned = await spawnDaemon(start);
        if (spawned.ok) started.push(spawned.value.pid);
        return spawned;
      },
      deadlineMs: 30_000,
    });
    expect(client.ok && client.value.greeting.pid).toBe(started[0]);
    if (client.ok) client.value.close();
  });
});
