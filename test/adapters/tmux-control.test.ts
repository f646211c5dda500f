import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill } from 'node:process';
import { describe, expect, it } from 'vitest';
import type { TmuxCommand } from '../../src/adapters/tmux-command.js';
import { createTmuxEvents } from '../../src/adapters/tmux-events.js';
import { createTmuxControl } from '../../src/adapters/tmux-control.js';
import { connectTmux } from '../../src/adapters/tmux-server.js';
import { type TmuxRig, createTmuxRig } from '../rigs/tmux-rig.js';
import { must } from '../rigs/must.js';

const FOREVER = 'while :; do sleep 0.2; done';
const SOON = { timeout: 30_000, interval: 20 };

const HOSTILE = [
  'fix it;',
  ';',
  '; kill-server ;',
  '\\;',
  `it's "quoted" 'twice'`,
  '#(touch canary) #{pid} ##',
  '# no comment',
  '$HOME ${HOME} $(touch canary) `touch canary` ~ ~root',
  'back\\slash \\n \\t \\u0041 \\101 \\',
  'one\ntwo\n\nthree\n',
  '\n',
  '\r\n',
  '',
  '{ } {',
  '%if 1',
  '%end 1 1 1',
  '-lead',
  'FOO=bar',
  'tab\there, bell\u0007, escape\u001b[31m, \u0001 \u007f',
  'ünïcode 漢字 🍊',
  'x'.repeat(15_000),
];

/** An open connection to the rig's server, and what it told. */
function openConnection(rig: TmuxRig) {
  const logged: string[] = [];
  const log = { write: ({ event }: { readonly event: string }) => void logged.push(event) };
  const tmux = connectTmux({ ...rig.parts, log });
  const closed: (string | null)[] = [];
  const states: string[] = [];
  createTmuxEvents(tmux).follow({
    onWindowClosed: (taskId) => closed.push(taskId),
    onRenamed: () => undefined,
    onState: (state) => states.push(state.state === 'down' ? `down: ${state.reason}` : state.state),
  });
  const state = (): string => tmux.control.state().state;
  return {
    tmux,
    logged,
    closed,
    states,
    becomes: async (wanted: string) => expect.poll(state, SOON).toBe(wanted),
    /** Resolves when the connection has learned whose the windows are: calls follow each other. */
    async settled() {
      for (let round = 0; round < 4; round += 1) await tmux.windows();
    },
    [Symbol.asyncDispose]: async () => tmux.control.close(),
  };
}

async function openServer(rig: TmuxRig) {
  await rig.sh(FOREVER);
  const connection = openConnection(rig);
  await connection.becomes('connected');
  return connection;
}

function serverPid(rig: TmuxRig): number {
  return JSON.parse(rig.read('run/tmux-server.json')).pid;
}

/** The control clients of the rig's server, by their pids. */
function clients(rig: TmuxRig): readonly number[] {
  const listed = rig.tmux('list-clients', '-F', '#{client_pid} #{client_control_mode}');
  return listed
    .split('\n')
    .filter((line) => line.endsWith(' 1'))
    .map((line) => Number.parseInt(line, 10));
}

/** A rig whose every start of tmux is counted in a file. */
function createCountingRig() {
  const bin = mkdtempSync(join(tmpdir(), 'or-bin-'));
  const path = process.env['PATH'] ?? '/usr/bin:/bin';
  writeFileSync(
    join(bin, 'tmux'),
    `#!/bin/sh\necho >> ${bin}/starts\nPATH=${path}\nexec tmux "$@"\n`,
    { mode: 0o755 },
  );
  const rig = createTmuxRig({ PATH: `${bin}:${path}` });
  return {
    rig,
    starts: () => readFileSync(join(bin, 'starts'), 'utf8').length,
    async [Symbol.asyncDispose]() {
      await rig[Symbol.asyncDispose]();
      rmSync(bin, { recursive: true });
    },
  };
}

describe('the open connection', () => {
  it('hears of the end of a window and knows whose it was', async () => {
    await using rig = createTmuxRig();
    await using connection = await openServer(rig);
    await rig.sh(FOREVER, { taskId: 'tasktwo', session: 'demo/two' });
    await rig.sh(FOREVER, { taskId: 'tasktwo', session: 'demo/two', window: 'review-1' });
    await connection.settled();
    rig.tmux('kill-window', '-t', '=demo/two:=review-1');
    await expect.poll(() => connection.closed, SOON).toEqual(['tasktwo']);
    rig.tmux('kill-session', '-t', '=demo/branch:');
    await expect.poll(() => connection.closed, SOON).toEqual(['tasktwo', 'taskone']);
  });

  it('carries commands without starting a program', async () => {
    await using counting = createCountingRig();
    const { rig, starts } = counting;
    await using connection = await openServer(rig);
    await connection.settled();
    const before = starts();
    expect(await connection.tmux.windows()).toMatchObject({ value: [{ session: 'demo/branch' }] });
    expect(await connection.tmux.run([['list-windows', '-t', '=nobody:']])).toMatchObject({
      ok: false,
      failure: { kind: 'command-failed', program: 'tmux', action: 'list-windows' },
    });
    expect(starts()).toBe(before);
    await connection.tmux.run([['load-buffer', '-']], 'text');
    expect(starts()).toBe(before + 1);
  });

  it('F67 F68 hands over every argument byte for byte, and nothing of it is run', async () => {
    await using rig = createTmuxRig();
    await using connection = await openServer(rig);
    const print = 'printf "%s\\0" "$@" > "$0.part" && mv "$0.part" "$0"';
    const command: TmuxCommand = [
      'new-window',
      '-d',
      '-t',
      '=demo/branch:',
      '--',
      '/bin/sh',
      '-c',
      print,
      rig.path('argv'),
      ...HOSTILE,
    ];
    expect(await connection.tmux.control.ask([command])).toEqual({
      kind: 'answered',
      isRefused: false,
      output: '',
    });
    expect((await rig.appears('argv')).split('\0')).toEqual([...HOSTILE, '']);
    expect(connection.states.at(-1)).toBe('connected');
    expect(readdirSync(rig.root)).not.toContain('canary');
    expect(readdirSync(rig.cwd)).toEqual([]);
  });

  it('leaves to a subprocess what does not fit into a line', async () => {
    await using rig = createTmuxRig();
    await using connection = await openServer(rig);
    const { tmux } = connection;
    const long: TmuxCommand = ['set-option', '-g', '@text', 'x'.repeat(17_000)];
    expect(await tmux.control.ask([long])).toEqual({ kind: 'unsent' });
    expect(await tmux.run([long])).toMatchObject({ failure: { kind: 'invalid-argument' } });
    expect(await tmux.control.ask([['set-option', '-g', '@text', 'a\0b']])).toEqual({
      kind: 'unsent',
    });
    expect(await tmux.run([['load-buffer', '-b', 'b', '-']], 'from the input')).toMatchObject({
      ok: true,
    });
    expect(rig.tmux('show-buffer', '-b', 'b')).toBe('from the input');
  });

  it('F64 gets nothing of what agents print', async () => {
    await using rig = createTmuxRig();
    await using connection = await openServer(rig);
    await rig.sh('yes "%unlinked-window-close @0"', { taskId: 'loud', session: 'demo/loud' });
    await rig.sh('exit 0', { taskId: 'quick', session: 'demo/quick' });
    await expect.poll(() => connection.closed.length, SOON).toBe(1);
    const flags = rig.tmux('list-clients', '-F', '#{session_name} #{client_flags}');
    expect(flags).toMatch(/^_orange .*no-output/);
    expect(connection.states.at(-1)).toBe('connected');
  });
});

describe('the keeper session', () => {
  it('is nobody’s, and goes with the connection while the server stays', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    // tmux 3.3 crashes on other ways to end a session with its client, and not every time.
    for (let round = 0; round < 20; round += 1) {
      const connection = openConnection(rig);
      await connection.becomes('connected');
      const listed = await rig.sessions.list();
      expect(listed.ok && listed.value.map(({ session }) => session)).toEqual(['demo/branch']);
      expect(rig.tmux('has-session', '-t', '=_orange')).toBe('');
      await connection.tmux.control.close();
      expect(rig.tmux('list-sessions', '-F', '#{session_name}')).toBe('demo/branch\n');
    }
  });

  it('is taken over when its client was killed, and the server stays', async () => {
    await using rig = createTmuxRig();
    await using connection = await openServer(rig);
    for (let round = 0; round < 3; round += 1) {
      const [client = 0] = clients(rig);
      kill(client, 'SIGKILL');
      await expect
        .poll(() => connection.states.filter((state) => state === 'down: ended').length, SOON)
        .toBe(round + 1);
      await connection.becomes('connected');
      await expect.poll(() => clients(rig), SOON).toHaveLength(1);
    }
    expect(rig.tmux('list-sessions', '-F', '#{session_name}').split('\n').toSorted()).toEqual([
      '',
      '_orange',
      'demo/branch',
    ]);
  });

  it('F59 comes back when somebody kills it', async () => {
    await using rig = createTmuxRig();
    await using connection = await openServer(rig);
    rig.tmux('kill-session', '-t', '=_orange');
    await expect.poll(() => connection.states, SOON).toContain('down: detached');
    await connection.becomes('connected');
    expect(rig.tmux('has-session', '-t', '=_orange')).toBe('');
  });

  it('does not keep a server alive that should go with its last agent', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    const pid = serverPid(rig);
    rig.sessions.events.follow({
      onWindowClosed: () => undefined,
      onRenamed: () => undefined,
      onState: () => undefined,
    });
    await expect.poll(() => rig.sessions.events.state().state, SOON).toBe('connected');
    await rig.sessions.endSession('taskone', 'demo/branch');
    expect(rig.processes.markOf(pid)).not.toBeNull();
    await rig.sessions.endServerWhenEmpty();
    await expect.poll(() => rig.processes.markOf(pid), SOON).toBeNull();
  });
});

describe('a server in trouble', () => {
  it('F53 that is killed is noticed, and connected to when it is there again', async () => {
    await using rig = createTmuxRig();
    await using connection = await openServer(rig);
    kill(serverPid(rig), 'SIGKILL');
    await connection.becomes('no-server');
    expect(connection.states).toContain('down: server exited unexpectedly');
    expect(await connection.tmux.windows()).toEqual({ ok: true, value: [] });
    await rig.ended('taskone', 'worker');
    const started = await connection.tmux.start([
      ['new-session', '-d', '-P', '-F', '#{pid}', '-s', 'new/one', '--', '/bin/sleep', '60'],
    ]);
    connection.tmux.rememberServer(started.ok ? Number.parseInt(started.value, 10) : 0);
    await connection.becomes('connected');
  });

  it('F54 whose socket file is deleted still answers, and is found again after a break', async () => {
    await using rig = createTmuxRig();
    await using connection = await openServer(rig);
    const [client = 0] = clients(rig);
    unlinkSync(rig.socket);
    expect(await connection.tmux.windows()).toMatchObject({ ok: true, value: [{}] });
    expect(existsSync(rig.socket)).toBe(false);
    kill(client, 'SIGKILL');
    await expect.poll(() => connection.states, SOON).toContain('down: ended');
    await connection.becomes('connected');
    expect(existsSync(rig.socket)).toBe(true);
    expect(rig.tmux('display-message', '-p', '#{pid}')).toBe(`${serverPid(rig)}\n`);
  });

  it('F54 whose socket file is deleted makes it anew while the connection stands, and goes on', async () => {
    await using counting = createCountingRig();
    const { rig, starts } = counting;
    await using connection = await openServer(rig);
    const before = { pid: serverPid(rig), states: [...connection.states], starts: starts() };
    await connection.tmux.keepSocket();
    expect([starts(), connection.logged]).toEqual([before.starts, []]);
    unlinkSync(rig.socket);
    await Promise.all([connection.tmux.keepSocket(), connection.tmux.keepSocket()]);
    expect(rig.tmux('display-message', '-p', '#{pid}')).toBe(`${before.pid}\n`);
    expect(connection.logged).toEqual(['tmux.socket-restored']);
    expect(connection.states).toEqual(before.states);
    expect(must(rig.records.read('taskone', 'worker'))).toMatchObject({
      isAlive: true,
      exit: null,
    });
  });

  it('F54 that does not make its socket file anew costs no program, and makes it when it goes on', async () => {
    await using counting = createCountingRig();
    const { rig, starts } = counting;
    await using connection = await openServer(rig);
    await connection.settled();
    const before = starts();
    unlinkSync(rig.socket);
    kill(serverPid(rig), 'SIGSTOP');
    await connection.tmux.keepSocket();
    kill(serverPid(rig), 'SIGCONT');
    expect([starts(), connection.logged]).toEqual([before, []]);
    await expect.poll(() => existsSync(rig.socket), SOON).toBe(true);
  });

  it('F54 F55 that lives while its socket file is gone is tried again, however long that takes', async () => {
    await using rig = createTmuxRig();
    const server = { isAlive: true };
    const control = createTmuxControl({
      tmux: { socket: rig.path('nobody.sock'), conf: '/dev/null', env: { PATH: '/usr/bin:/bin' } },
      clock: { nowMs: () => Date.now(), monotonicMs: () => performance.now() },
      revive: async () => false,
      isServerAlive: () => server.isAlive,
      clearWay: async () => undefined,
      seeOut: async () => false,
    });
    const states: string[] = [];
    control.open({ onNotice: () => undefined, onState: ({ state }) => states.push(state) });
    const breaks = (): number => states.filter((state) => state === 'down').length;
    await expect.poll(breaks, SOON).toBeGreaterThan(2);
    expect(states).not.toContain('no-server');
    server.isAlive = false;
    await expect.poll(() => control.state().state, SOON).toBe('no-server');
    await control.close();
  });

  it('F55 that hangs fails each call in time, and is connected to again when it goes on', async () => {
    await using rig = createTmuxRig();
    await using connection = await openServer(rig);
    const pid = serverPid(rig);
    kill(pid, 'SIGSTOP');
    const calls = await Promise.all([
      connection.tmux.windows(),
      connection.tmux.run([['list-windows', '-a']]),
    ]);
    for (const call of calls) {
      expect(call).toMatchObject({ ok: false, failure: { kind: 'command-timed-out' } });
    }
    expect(connection.states).toContain('down: no answer');
    expect(connection.closed).toEqual([]);
    // The new client waits in vain, and is waited for.
    const inVain = (): number => connection.states.filter((at) => at === 'down: no answer').length;
    await expect.poll(inVain, SOON).toBe(2);
    kill(pid, 'SIGCONT');
    await connection.becomes('connected');
    await expect.poll(() => clients(rig), SOON).toHaveLength(1);
    expect(rig.processes.markOf(pid)).not.toBeNull();
    expect(must(rig.records.read('taskone', 'worker'))).toMatchObject({
      isAlive: true,
      exit: null,
    });
  });

  it('F65 that an agent ends by the path of its socket is noticed', async () => {
    await using rig = createTmuxRig();
    await using connection = await openServer(rig);
    await rig.sh(`tmux -S ${rig.socket} kill-server`, { taskId: 'bad', session: 'demo/bad' });
    await connection.becomes('no-server');
  });

  it('that is not there is waited for', async () => {
    await using rig = createTmuxRig();
    await using connection = openConnection(rig);
    await connection.becomes('no-server');
    expect(existsSync(rig.socket)).toBe(false);
  });
});
