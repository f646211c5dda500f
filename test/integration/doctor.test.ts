import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentProcesses, checkPool, isAlive, killDaemon } from './daemon-checks.js';
import { createRig, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
const IDLE = { agents: { plain: { worker: 'idle' } } };

type Line = {
  readonly level: string;
  readonly check: string;
  readonly message: string;
  readonly fixable?: string;
  readonly pids?: readonly number[];
};

/** What the doctor finds out of place. */
async function findings(rig: Rig): Promise<readonly Line[]> {
  const lines = (await rig.orange('doctor', '--json')).json<readonly Line[]>();
  return lines.filter(({ fixable }) => fixable !== undefined);
}

describe('orange doctor', () => {
  it('F20 shows a pool file that is no longer one, and the daemon writes it anew by itself', async () => {
    await using rig = await createRig({ ...IDLE, settings: { reconcile_seconds: 1 } });
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    const path = join(rig.home, 'workspaces', '.pool.json');
    const before = rig.read(path);
    await killDaemon(rig);
    writeFileSync(path, '[]');
    expect(await findings(rig)).toContainEqual(
      expect.objectContaining({ check: 'pool-file', fixable: 'safe' }),
    );
    expect(rig.read(path)).toBe('[]');
    await rig.must('doctor', '--fix', 'pool-file');
    expect(rig.read(path)).toBe(before);
    expect((await findings(rig)).map(({ check }) => check)).not.toContain('pool-file');
    await rig.must('daemon', 'start');
    writeFileSync(path, '');
    await rig.until('the pool file', () => rig.read(path) === before);
    checkPool(rig, [id]);
  });

  it('ends a process that outlived its task, and no other', async () => {
    await using rig = await createRig({
      agents: {
        plain: { worker: 'setsid sh -c "trap : HUP TERM; while :; do sleep 1; done" & idle' },
      },
    });
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    await rig.until('both processes', () => agentProcesses(id, 'worker').length > 1);
    await killDaemon(rig);
    // The record is lost: nobody knows this task any more.
    rmSync(rig.taskDir(id), { recursive: true });
    expect(await findings(rig)).toContainEqual(
      expect.objectContaining({ check: 'session-without-task', fixable: 'with-fix' }),
    );
    const refused = await rig.orange('doctor', '--fix', 'session-without-task');
    expect(refused.code).toBe(1);
    expect(agentProcesses(id, 'worker').length).toBeGreaterThan(1);
    await rig.must('doctor', '--fix', 'session-without-task', '--yes');
    expect(agentProcesses(id, 'worker')).toEqual([]);
    expect(rig.sessions()).toEqual([]);
    expect(isAlive(process.pid)).toBe(true);
    expect(existsSync(rig.workspace())).toBe(true);
  });
});
