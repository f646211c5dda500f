import { existsSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { leaveControlClient, leavePerson } from '../rigs/left-client.js';
import { killDaemon, launchesAlive } from './daemon-checks.js';
import { createRig, type Rig } from './orange-rig.js';

const IDLE_AGENT = { plain: {} };
const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
// With a net this wide nothing but the events themselves can tell.
const EVENTS_ONLY = { sweep_seconds: 3600, reconcile_seconds: 3600 };
const SOON = { timeout: 30_000, interval: 100 };

async function sourcesOf(rig: Rig): Promise<unknown> {
  return (await rig.must('daemon', 'status', '--json')).json()['sources'];
}

async function startAgent(rig: Rig, branch: string): Promise<string> {
  const id = await rig.create(branch, 'x', ...PLAIN);
  await rig.waitForStatus(id, 'planning');
  await expect
    .poll(() => sourcesOf(rig), SOON)
    .toMatchObject({ terminals: { state: 'connected' }, sweep: 'net' });
  return id;
}

function serverPid(rig: Rig): number {
  return JSON.parse(readFileSync(join(rig.home, 'run', 'tmux-server.json'), 'utf8')).pid;
}

function placeOf(rig: Rig) {
  const { root, socket, tmux } = rig;
  return { root, socket, tmux, runDir: join(rig.home, 'run') };
}

/** Waits until each agent was started again, and sees that nothing was counted against it. */
async function areBack(rig: Rig, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const types = (): readonly string[] => rig.history(id).map(({ type }) => type);
    const starts = (): number => types().filter((type) => type === 'agent.spawned').length;
    await rig.until('the agent again', () => starts() === 2);
    expect(types().filter((type) => type === 'agent.interrupted')).toHaveLength(1);
    expect(types()).not.toContain('agent.crashed');
    expect(rig.field(id, 'crash_count')).toBe('0');
    expect(launchesAlive(id, 'worker')).toHaveLength(1);
  }
  await expect
    .poll(() => sourcesOf(rig), SOON)
    .toMatchObject({ terminals: { state: 'connected' } });
}

describe('events alone', () => {
  it('tell of an agent that was killed together with its launcher', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT, settings: EVENTS_ONLY });
    const id = await startAgent(rig, 'killed');
    // Without its recorder there is no exit record, only a window that closes.
    const recorder = JSON.parse(rig.read(join(rig.home, 'run', id, 'worker.pid'))).pid;
    process.kill(recorder, 'SIGKILL');
    await rig.waitForEvent(id, ({ type }) => type === 'agent.crashed');
  });

  it('F53 tell of a server that was killed, of all its agents, and of the new one', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT, settings: EVENTS_ONLY });
    const ids = [await startAgent(rig, 'one'), await startAgent(rig, 'two')];
    const before = serverPid(rig);
    process.kill(before, 'SIGKILL');
    for (const id of ids) await rig.waitForEvent(id, ({ type }) => type === 'agent.interrupted');
    await expect.poll(() => serverPid(rig), SOON).not.toBe(before);
    await expect
      .poll(() => sourcesOf(rig), SOON)
      .toMatchObject({ terminals: { state: 'connected' }, sweep: 'net' });
  });
});

describe('a server that is told to exit and does not go', () => {
  it('F53 because of what a dead daemon left has interrupted its agents, each is back, none is counted', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT });
    const ids = [await startAgent(rig, 'one'), await startAgent(rig, 'two')];
    const before = serverPid(rig);
    await killDaemon(rig);
    using left = await leaveControlClient(placeOf(rig));
    rig.tmux('kill-server');
    await rig.must('daemon', 'start');
    await areBack(rig, ids);
    expect(left.isAlive()).toBe(false);
    expect(serverPid(rig)).not.toBe(before);
  });

  it('F53 because of a person whose terminal hangs is replaced, each agent is back, none is counted', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT });
    const ids = [await startAgent(rig, 'one'), await startAgent(rig, 'two')];
    const before = serverPid(rig);
    using person = await leavePerson(placeOf(rig), 'shop/one');
    rig.tmux('kill-server');
    await areBack(rig, ids);
    expect(person.isAlive()).toBe(true);
    expect(serverPid(rig)).not.toBe(before);
  });
});

describe('a source in trouble', () => {
  it('F55 a server that hangs is said to be down, no agent is taken for dead, and it comes back', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT });
    const id = await startAgent(rig, 'hangs');
    const server = serverPid(rig);
    process.kill(server, 'SIGSTOP');
    try {
      await expect.poll(() => sourcesOf(rig), SOON).toMatchObject({ sweep: 'full' });
      const findings = (await rig.orange('doctor', '--json')).json<readonly object[]>();
      expect(findings).toContainEqual(expect.objectContaining({ check: 'events', level: 'warn' }));
    } finally {
      process.kill(server, 'SIGCONT');
    }
    await expect
      .poll(() => sourcesOf(rig), SOON)
      .toMatchObject({ terminals: { state: 'connected' }, sweep: 'net' });
    expect(rig.history(id).map(({ type }) => type)).not.toContain('agent.crashed');
    expect(rig.history(id).map(({ type }) => type)).not.toContain('agent.interrupted');
  });

  it('F54 a server whose socket file is deleted makes it anew, and nothing else changes', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT, settings: EVENTS_ONLY });
    const id = await startAgent(rig, 'deleted');
    const server = serverPid(rig);
    unlinkSync(rig.socket);
    await expect.poll(() => existsSync(rig.socket), SOON).toBe(true);
    expect(rig.tmux('display-message', '-p', '#{pid}')).toBe(`${server}`);
    expect(await sourcesOf(rig)).toMatchObject({
      terminals: { state: 'connected' },
      sweep: 'net',
    });
    expect(launchesAlive(id, 'worker').length).toBe(1);
  });

  it('F59 a session that somebody renames gets its name back, and its agent goes on', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT, settings: EVENTS_ONLY });
    const id = await startAgent(rig, 'named');
    rig.tmux('rename-session', '-t', '=shop/named:', 'mine');
    await rig.until('its own name', () => rig.sessions().includes('shop/named'));
    expect(rig.sessions()).toEqual(['shop/named']);
    expect(launchesAlive(id, 'worker').length).toBe(1);
  });
});
