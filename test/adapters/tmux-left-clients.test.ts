import { kill } from 'node:process';
import { describe, expect, it } from 'vitest';
import { createLaunchRecords } from '../../src/adapters/launch-records.js';
import { seeOutServer } from '../../src/adapters/see-out-server.js';
import { createServerFate } from '../../src/adapters/server-fate.js';
import { connectTmux } from '../../src/adapters/tmux-server.js';
import { leaveControlClient, leavePerson } from '../rigs/left-client.js';
import { must } from '../rigs/must.js';
import { type TmuxRig, createTmuxRig } from '../rigs/tmux-rig.js';

const FOREVER = 'while :; do sleep 0.2; done';
const SOON = { timeout: 30_000, interval: 20 };
const NO_LIMIT_MS = 600_000;

function settings({ socket, runDir }: TmuxRig) {
  return { socket, conf: `${runDir}/tmux.conf` };
}

function serverMark(rig: TmuxRig) {
  const { pid } = JSON.parse(rig.read('run/tmux-server.json'));
  const mark = rig.processes.markOf(pid);
  if (mark === null) throw new Error('no server runs');
  return mark;
}

/** The connection of a daemon that has just started. */
function connect(rig: TmuxRig) {
  const logged: string[] = [];
  const log = { write: ({ event }: { readonly event: string }) => void logged.push(event) };
  const tmux = connectTmux({ ...rig.parts, log });
  tmux.control.open({ onNotice: () => undefined, onState: () => undefined });
  return {
    tmux,
    logged,
    becomes: async (wanted: string) =>
      expect.poll(() => tmux.control.state().state, SOON).toBe(wanted),
    [Symbol.asyncDispose]: async () => tmux.control.close(),
  };
}

function seeOut(rig: TmuxRig, limitMs: number) {
  const tmux = { ...settings(rig), env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' } };
  const fate = createServerFate();
  const { processes } = rig;
  return seeOutServer({ tmux, processes, fate, limitMs }, serverMark(rig));
}

describe('a control client that a dead daemon left', () => {
  it('F55 is ended by the next connection, and the server and its agents live on', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    using first = await leaveControlClient(rig);
    using second = await leaveControlClient(rig);
    const server = serverMark(rig);
    await using connection = connect(rig);
    await connection.becomes('connected');
    expect([first.isAlive(), second.isAlive()]).toEqual([false, false]);
    expect(connection.logged).toEqual(['tmux.client-ended', 'tmux.client-ended']);
    expect(rig.processes.isAlive(server)).toBe(true);
    expect(must(rig.records.read('taskone', 'worker'))).toMatchObject({ isAlive: true });
  });

  it('F55 is told from clients of the living and of other people', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    using person = await leavePerson(rig, 'demo/branch');
    await using first = connect(rig);
    await first.becomes('connected');
    await using second = connect(rig);
    await second.becomes('connected');
    expect(first.tmux.control.state().state).toBe('connected');
    expect(person.isAlive()).toBe(true);
    expect([...first.logged, ...second.logged]).toEqual([]);
  });

  it('F53 keeps no server that is to exit, and the next launch has a new one', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    using left = await leaveControlClient(rig);
    const server = serverMark(rig);
    rig.tmux('kill-server');
    await rig.ended('taskone', 'worker');
    expect(rig.processes.isAlive(server)).toBe(true);
    await using connection = connect(rig);
    await connection.becomes('no-server');
    expect([left.isAlive(), rig.processes.isAlive(server)]).toEqual([false, false]);
    await rig.sh(FOREVER, { taskId: 'tasktwo', session: 'demo/two' });
    expect(serverMark(rig).pid).not.toBe(server.pid);
  });

  it('F53 keeps no launch from a new server either, where nobody is connected', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    using left = await leaveControlClient(rig);
    rig.tmux('kill-server');
    await rig.ended('taskone', 'worker');
    expect(must(await rig.sessions.list())).toEqual([]);
    expect(left.isAlive()).toBe(true);
    await rig.sh(FOREVER, { taskId: 'tasktwo', session: 'demo/two' });
    expect(left.isAlive()).toBe(false);
  });
});

describe('a server that exits and does not go', () => {
  it('F53 is ended after a while when it has no terminal any more', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    using person = await leavePerson(rig, 'demo/branch');
    const server = serverMark(rig);
    rig.tmux('kill-server');
    expect(await seeOut(rig, 300)).toBe(false);
    expect([rig.processes.isAlive(server), person.isAlive()]).toEqual([false, true]);
  });

  it('F53 is never ended while a process of a terminal lives', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    const deaf = 'trap "" HUP; echo ready > ready; while :; do sleep 0.2; done';
    const start = ['new-session', '-d', '-P', '-F', '#{pane_pid}', '-c', rig.root];
    const pane = Number(rig.tmux(...start, '--', '/bin/sh', '-c', deaf));
    await rig.appears('ready');
    using person = await leavePerson(rig, 'demo/branch');
    const server = serverMark(rig);
    rig.tmux('kill-server');
    expect(await seeOut(rig, 300)).toBe(true);
    expect(rig.processes.isAlive(server)).toBe(true);
    kill(pane, 'SIGKILL');
    expect(await seeOut(rig, 300)).toBe(false);
    expect(person.isAlive()).toBe(true);
  });

  it('F55 is not what a server is that lets clients in', async () => {
    await using rig = createTmuxRig();
    await rig.sh(FOREVER);
    expect(await seeOut(rig, 0)).toBe(true);
    expect(must(rig.records.read('taskone', 'worker'))).toMatchObject({ isAlive: true });
  });

  it('F53 has interrupted its agents, though its process is still there', async () => {
    await using rig = createTmuxRig();
    const fate = createServerFate();
    const records = createLaunchRecords({ ...rig, fate });
    await rig.sh(FOREVER);
    using person = await leavePerson(rig, 'demo/branch');
    const server = serverMark(rig);
    rig.tmux('kill-server');
    await rig.ended('taskone', 'worker');
    const read = () => must(records.read('taskone', 'worker'));
    expect(read()).toMatchObject({ exit: { signal: 'SIGHUP' }, isInDoubt: true });
    const tmux = { ...settings(rig), env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' } };
    const { processes } = rig;
    const seen = seeOutServer({ tmux, processes, fate, limitMs: NO_LIMIT_MS }, server);
    const interrupted = { exit: { interruptedBy: 'server' }, isInDoubt: false };
    await expect.poll(read, SOON).toMatchObject(interrupted);
    expect(processes.isAlive(server)).toBe(true);
    person.end();
    expect(await seen).toBe(false);
  });
});
