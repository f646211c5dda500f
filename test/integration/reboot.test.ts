import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAlive, killDaemon } from './daemon-checks.js';
import { endProcess, marked } from './end-rig.js';
import { createRig, type Event, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
const AGENT = `grep -q '^## Plan' TASK.md || add Plan 'TOUCHING: draft.txt'
  echo half > draft.txt; say start; idle`;

describe('a machine that was restarted', () => {
  it('F11 shows every active task as dead once, its work safe, and resumes it by policy', async () => {
    await using rig = await createRig({
      policy: { after_interruption: 'show' },
      agents: { plain: { worker: AGENT } },
    });
    const ids = [await rig.create('one', 'x', ...PLAIN), await rig.create('two', 'x', ...PLAIN)];
    for (const id of ids) await rig.waitForStatus(id, 'working');
    await rig.until('both at work', () => rig.said().length === 2);
    await restartMachine(rig, ids);

    await rig.must('daemon', 'start');
    for (const id of ids) await rig.waitForEvent(id, isInterruption);
    await rig.must('daemon', 'restart');
    for (const id of ids) {
      expect(rig.history(id).filter(isInterruption)).toMatchObject([
        { status: 'working', cause: 'reboot', window: 'worker' },
      ]);
      expect(spawns(rig, id)).toBe(1);
      const shown = (await rig.must('task', 'show', id, '--json')).json();
      expect(shown).toMatchObject({ status: 'working', session: 'crashed', crash_count: 0 });
    }
    expect(rig.sessions()).toEqual([]);
    for (const name of ['shop--1', 'shop--2']) {
      expect(rig.read(join(rig.workspace(name), 'draft.txt'))).toBe('half\n');
    }

    setPolicy(rig, 'resume');
    await rig.must('daemon', 'restart');
    await rig.until('both again', () => rig.said().length === 4);
    for (const id of ids) {
      await rig.until('its start in the history', () => spawns(rig, id) === 2);
      expect(rig.history(id).filter(isInterruption)).toHaveLength(1);
      expect(rig.history(id).some(({ type }) => type === 'agent.crashed')).toBe(false);
    }
    expect(rig.sessions().toSorted()).toEqual(['shop/one', 'shop/two']);
  });
});

function isInterruption({ type }: Event): boolean {
  return type === 'agent.interrupted';
}

function spawns(rig: Rig, id: string): number {
  return rig.history(id).filter(({ type }) => type === 'agent.spawned').length;
}

/** Ends everything at once; what is left is on disk, and says that another boot wrote it. */
async function restartMachine(rig: Rig, ids: readonly string[]): Promise<void> {
  const server = Number(rig.tmux('display-message', '-p', '#{pid}'));
  await killDaemon(rig);
  process.kill(server, 'SIGKILL');
  await rig.until('the end of the server', () => !isAlive(server));
  await rig.until('the end of all agents', () => {
    const left = marked(rig.home).filter(isAlive);
    for (const pid of left) endProcess(pid);
    return left.length === 0;
  });
  for (const id of ids) {
    const path = join(rig.home, 'run', id, 'worker.pid');
    rig.write(path, rig.read(path).replaceAll(/"start":"[^/"]*\//g, '"start":"an-earlier-boot/'));
  }
  // One launcher could still write down the hang-up, the other could not.
  const exit = join(rig.home, 'run', ids[0] ?? '', 'worker.exit');
  if (existsSync(exit)) rmSync(exit);
}

function setPolicy(rig: Rig, afterInterruption: string): void {
  const path = join(rig.home, 'config.yaml');
  const settings = JSON.parse(rig.read(path));
  const policy = { ...settings.policy, after_interruption: afterInterruption };
  rig.write(path, JSON.stringify({ ...settings, policy }));
}
