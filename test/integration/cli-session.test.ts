import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];

type Refusal = { error: { code: string; message: string; hint: string | null } };
type Finding = { level: string; check: string; message: string };

describe('the command line and a running agent', () => {
  it('send reaches the agent word for word', async () => {
    await using rig = await createRig({
      agents: {
        plain: {
          worker: `say ready; while IFS= read -r line; do printf '%s\\n' "$line" >> "$RIG/said/heard"; done; idle`,
        },
      },
    });
    const id = await rig.create('listens', 'x', ...PLAIN);
    await rig.until('its ear', () => rig.said().includes('ready'));
    const text = `use "quotes"; $(touch pwn) #{pid} 'and' -x ü \\n;`;
    await rig.must('task', 'send', id, text);
    await rig.until('the words', () => rig.said('heard').length > 0);
    expect(rig.said('heard')).toEqual([text]);
    await rig.run(['task', 'send', id, '-'], { input: '--leading dash\n' });
    await rig.until('more words', () => rig.said('heard').length > 1);
    expect(rig.said('heard')[1]).toBe('--leading dash');
  });

  it('send to nobody fails with a reason', async () => {
    await using rig = await createRig({ agents: { plain: { worker: 'idle' } } });
    const id = await rig.create('absent', 'x', ...PLAIN, '--no-spawn');
    const refused = await rig.orange('task', 'send', id, 'hello', '--json');
    expect(refused.code).toBe(1);
    expect(refused.json<Refusal>().error.code).toBe('agent-not-running');
    expect((await rig.orange('task', 'attach', id, '--json')).code).toBe(1);
  });

  it('attach tells how with --json, and refuses without a terminal', async () => {
    await using rig = await createRig({ agents: { plain: { worker: 'idle' } } });
    const id = await rig.create('watch/me', 'x', ...PLAIN);
    const how = (await rig.must('attach', id, '--json')).json<{
      session: string;
      argv: string[];
    }>();
    expect(how.session).toBe('shop/watch/me');
    expect(how.argv[0]).toBe('tmux');
    expect(how.argv).toContain(rig.socket);
    expect(how.argv.some((word) => word.startsWith('=shop/watch/me'))).toBe(true);
    const refused = await rig.orange('task', 'attach', id);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('terminal');
  });

  it('respawn ends the agent and starts it again in the same place', async () => {
    await using rig = await createRig({ agents: { plain: { worker: 'say "$$"; idle' } } });
    const id = await rig.create('again', 'x', ...PLAIN);
    await rig.until('the first', () => rig.said().length === 1);
    await rig.must('task', 'respawn', id);
    await rig.until('the second', () => rig.said().length === 2);
    const [first, second] = rig.said().map(Number);
    expect(first).not.toBe(second);
    expect(() => process.kill(first ?? 0, 0)).toThrow();
    expect(rig.tmux('list-windows', '-t', '=shop/again:', '-F', '#{window_name}')).toBe('worker');
    expect(rig.history(id).filter(({ type }) => type === 'agent.crashed')).toEqual([]);
    expect(rig.field(id, 'crash_count')).toBe('0');
  });

  it('diff shows committed and uncommitted work; log shows the history', async () => {
    await using rig = await createRig({
      agents: {
        plain: { worker: 'work one; echo two > two.txt; echo more >> README.md; say ready; idle' },
      },
    });
    const id = await rig.create('differs', 'x', ...PLAIN);
    await rig.until('its work', () => rig.said().includes('ready'));
    const diff = await rig.must('task', 'diff', id, '--full');
    expect(diff.stdout).toMatch(/1 commit on differs since main:\n {2}\w+ Add one\n[^]*\+one/);
    expect(diff.stdout).toMatch(/Changed, not staged:[^]*\+more/);
    expect(diff.stdout).toMatch(/Untracked:[^]*\+two/);
    expect(diff.stdout).not.toContain('TASK.md');
    expect((await rig.must('task', 'diff', id, '--full', '--json')).json()).toMatchObject({
      id,
      base: 'main',
      branch: 'differs',
      diff: expect.stringContaining('+one'),
    });
    expect((await rig.must('task', 'diff', id)).stdout).toMatch(/one\.txt \| 1 \+\n/);
    const paged = join(rig.root, 'paged');
    await seeOnSmallTerminal(rig, {
      command: `PAGER='cat > ${paged}' ${process.execPath} ${rig.program} task diff ${id} --full`,
      shows: 'left with 0',
    });
    expect(rig.read(paged)).toContain('\u001b[32m+one\u001b[0m\n');
    const log = (await rig.must('task', 'log', id, '--json')).json<{ type: string }[]>();
    expect(log.map(({ type }) => type)).toEqual(rig.history(id).map(({ type }) => type));
    expect((await rig.must('task', 'log', id)).stdout).toContain('planning');
    expect((await rig.must('log', '--json')).stdout).toContain('daemon.started');
  });

  it('wait ends as soon as the status is there', async () => {
    await using rig = await createRig({
      agents: { plain: { worker: `await_go plan; add Plan 'TOUCHING: a'; idle` } },
    });
    const id = await rig.create('waits', 'x', ...PLAIN);
    const waiting = rig.orange(
      'task',
      'wait',
      id,
      '--status',
      'working,stuck',
      '--timeout',
      '30',
      '--json',
    );
    rig.go('plan');
    const waited = await waiting;
    expect(waited.code).toBe(0);
    expect(waited.json()).toMatchObject({ id, status: 'working' });
  });
});

describe('the daemon', () => {
  it('is not running until something changes, and says so with exit 0', async () => {
    await using rig = await createRig({ agents: { plain: { worker: 'idle' } } });
    expect((await rig.must('daemon', 'status', '--json')).json()).toMatchObject({
      running: false,
      home: rig.home,
    });
    expect((await rig.must('task', 'list', '--json')).json()).toEqual([]);
    expect((await rig.must('daemon', 'stop')).code).toBe(0);
    expect((await rig.must('daemon', 'status', '--json')).json()).toMatchObject({ running: false });
    const id = await rig.create('starts-it', 'x', ...PLAIN);
    const status = (await rig.must('daemon', 'status', '--json')).json<{ pid: number }>();
    expect(status).toMatchObject({
      running: true,
      home: rig.home,
      tasks: 1,
      sessions: 1,
      socket: join(rig.home, 'run', 'daemon.sock'),
    });
    expect(Object.keys(status)).toEqual([
      'running',
      'pid',
      'uptime_s',
      'version',
      'socket',
      'home',
      'tasks',
      'sessions',
      'rss_bytes',
      'loop_lag_ms',
      'sources',
      'settings',
      'unwritten',
    ]);
    expect((await rig.must('daemon', 'start')).code).toBe(0);
    expect((await rig.must('daemon', 'status', '--json')).json()).toMatchObject({
      pid: status.pid,
    });
    await rig.must('daemon', 'restart');
    const after = (await rig.must('daemon', 'status', '--json')).json<{ pid: number }>();
    expect(after.pid).not.toBe(status.pid);
    expect(after).toMatchObject({ running: true, tasks: 1, sessions: 1 });
    expect(rig.history(id).filter(({ type }) => type === 'agent.spawned')).toHaveLength(1);
    await rig.must('daemon', 'stop');
    expect(rig.sessions()).toEqual(['shop/starts-it']);
    expect((await rig.must('task', 'list', '--json')).json()).toMatchObject([
      { id, session: 'active' },
    ]);
  });

  it('goes on after kill -9 with the same agent, and loses no event', async () => {
    await using rig = await createRig({
      agents: {
        plain: {
          worker: `say start; add Plan 'TOUCHING: a'; await_go on; work a; add Handoff 'DONE: a'; idle`,
          reviewer: `add Review 'Verdict: PASS'; idle`,
        },
      },
    });
    const id = await rig.create('outlives', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'working');
    const { pid } = (await rig.must('daemon', 'status', '--json')).json<{ pid: number }>();
    const before = rig.history(id);
    process.kill(pid, 'SIGKILL');
    rig.go('on');
    await rig.must('task', 'update', id, '--summary', 'still here');
    await rig.waitForStatus(id, 'reviewing');
    const after = rig.history(id);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(rig.said()).toEqual(['start']);
    expect(after.filter(({ type }) => type === 'agent.crashed')).toEqual([]);
    await rig.must('task', 'merge', id, '--yes');
    expect(rig.pool()).toEqual({ 'shop--1': { status: 'available' } });
  });

  it('doctor ends with 0 when all is well and with 1 when something is wrong, and changes nothing', async () => {
    await using rig = await createRig({ agents: { plain: { worker: 'idle' } } });
    const id = await rig.create('well', 'x', ...PLAIN);
    const well = await rig.orange('doctor', '--json');
    expect([well.code, well.json<Finding[]>().filter(({ level }) => level === 'error')]).toEqual([
      0,
      [],
    ]);
    appendFileSync(rig.taskFile(id), '\n## Plan\n\n## Plan\n');
    const text = rig.read(rig.taskFile(id)).replace('summary: ', 'summary: "');
    rig.write(rig.taskFile(id), text);
    const ill = await rig.orange('doctor', '--json');
    expect(ill.code).toBe(1);
    expect(ill.stdout).toContain(rig.taskFile(id));
    expect((await rig.orange('doctor')).code).toBe(1);
    expect(rig.read(rig.taskFile(id))).toBe(text);
  });

  it('harness list says which agents are there', async () => {
    await using rig = await createRig({
      agents: { plain: {} },
      settings: { harnesses: { ghost: { command: ['no-such-program-here'] } } },
    });
    const rows = (await rig.must('harness', 'list', '--json')).json<
      { name: string; installed: boolean }[]
    >();
    expect(rows.find(({ name }) => name === 'plain')).toMatchObject({ installed: true });
    expect(rows.find(({ name }) => name === 'ghost')).toMatchObject({ installed: false });
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['claude', 'codex', 'opencode', 'pi', 'gemini', 'demo']),
    );
  });
});

/** Runs a command in a terminal of ten lines, on a tmux server that is not orange's. */
async function seeOnSmallTerminal(
  rig: Rig,
  { command, shows }: { readonly command: string; readonly shows: string },
): Promise<void> {
  const socket = join(rig.root, 'ui.sock');
  const ui = (...argv: readonly string[]): string => {
    const how = { env: rig.env, cwd: rig.repository, encoding: 'utf8' } as const;
    return spawnSync('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...argv], how).stdout;
  };
  const line = `${command}; echo "left with $?"; exec cat`;
  ui('new-session', '-d', '-s', 'ui', '-x', '80', '-y', '10', '--', 'sh', '-c', line);
  const screen = (): string => ui('capture-pane', '-p', '-t', '=ui:');
  try {
    await rig
      .until(shows, () => screen().includes(shows))
      .catch((error: Error) => {
        throw new Error(`${error.message}\n${screen()}`);
      });
  } finally {
    ui('kill-server');
  }
}
