import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  checkAgents,
  checkTask,
  daemonPid,
  exitCodeOf,
  isAlive,
  launchesAlive,
  spawnDaemon,
} from './daemon-checks.js';
import { createRig, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
const IDLE_AGENT = { plain: { worker: 'say start; idle' } };
/** As a command starts it, so that it is replaced; but one whose end can be seen from here. */
const HANGING = {
  ORANGE_DETACHED: '1',
  ORANGE_HUNG_MS: '1500',
  ORANGE_FAILPOINT: 'update.intent-written:hang',
};

function logged(rig: Rig, event: string): Readonly<Record<string, unknown>> | undefined {
  const path = join(rig.home, 'orange.log');
  if (!existsSync(path)) return undefined;
  const lines = rig.read(path).split('\n').filter(Boolean);
  const records = lines.map((line): Record<string, unknown> => JSON.parse(line));
  return records.find((record) => record['event'] === event);
}

describe('a daemon that hangs', () => {
  it('F76 is ended with code 75 and replaced, its log names what hung, and nothing is lost', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT });
    const child = spawnDaemon(rig, HANGING);
    const ended = exitCodeOf(child);
    await rig.until('daemon', () => daemonPid(rig) === child.pid);
    const id = await rig.create('first', 'x', '--no-spawn', ...PLAIN);
    const told = await rig.orange('task', 'update', id, '--summary', 'during');
    expect(told.code).not.toBe(0);
    expect(await ended).toBe(75);
    const next = await rig.until('another daemon', () => {
      const pid = daemonPid(rig);
      return pid !== null && pid !== child.pid && pid;
    });
    expect(logged(rig, 'loop.blocked')?.['stack']).toContain('at turnForEver');
    expect(logged(rig, 'daemon.hung')).toMatchObject({ level: 'error' });
    expect(rig.read(join(rig.home, 'run', 'daemon.crash'))).toContain('at turnForEver');
    await rig.must('task', 'update', id, '--summary', 'after');
    await rig.must('task', 'spawn', id);
    await rig.waitForStatus(id, 'planning');
    expect(daemonPid(rig)).toBe(next);
    expect(rig.field(id, 'summary')).toBe('after');
    expect(launchesAlive(id, 'worker')).toHaveLength(1);
    checkAgents(rig, id);
    checkTask(rig, id);
  });

  it('F76 is ended and replaced when it hangs while it starts', async () => {
    await using rig = await createRig({ agents: IDLE_AGENT });
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.must('daemon', 'stop');
    const child = spawnDaemon(rig, { ...HANGING, ORANGE_FAILPOINT: 'start-up.tasks-loaded:hang' });
    expect(await exitCodeOf(child)).toBe(75);
    await rig.until('another daemon', () => daemonPid(rig) !== null);
    expect(logged(rig, 'daemon.hung')?.['stack']).toContain('at turnForEver');
    expect(launchesAlive(id, 'worker')).toHaveLength(1);
    await rig.must('task', 'update', id, '--summary', 'after');
    checkAgents(rig, id);
    checkTask(rig, id);
  });

  it('F76 is ended by `daemon stop` although it does not answer, and the next one starts', async () => {
    await using rig = await createRig();
    await rig.must('daemon', 'start');
    const silent = daemonPid(rig);
    if (silent === null) throw new Error('no daemon');
    process.kill(silent, 'SIGSTOP');
    const stopped = await rig.orange('daemon', 'stop');
    expect(stopped).toMatchObject({ code: 0 });
    expect(stopped.stderr).toContain(`The daemon (pid ${silent}) does not answer`);
    expect(isAlive(silent)).toBe(false);
    await rig.must('daemon', 'start');
    expect(daemonPid(rig)).not.toBe(silent);
  });

  it('is told from one that does not run, by everything that looks', async () => {
    await using rig = await createRig();
    await rig.must('daemon', 'start');
    const pid = daemonPid(rig);
    if (pid === null) throw new Error('no daemon');
    process.kill(pid, 'SIGSTOP');
    const status = await rig.must('daemon', 'status', '--json');
    expect(status.json()).toMatchObject({ running: false, answers: false, pid });
    const told = await rig.must('daemon', 'status');
    expect(told.stdout).toMatch(
      new RegExp(`does not answer: pid ${pid} .*\\n.*orange daemon restart`),
    );
    const found = (await rig.orange('doctor', '--json')).json<
      { check: string; message: string }[]
    >();
    expect(found).toContainEqual(
      expect.objectContaining({
        check: 'daemon',
        level: 'warn',
        message: `pid ${pid} does not answer`,
      }),
    );
    expect(found.map(({ check }) => check)).not.toContain('lock');
    expect(found.filter(({ message }) => message.includes('daemon.sock'))).toEqual([]);
    const started = await rig.orange('daemon', 'start');
    expect(started.stderr).toContain(`Waiting for the daemon (pid ${pid}), which does not answer`);
    expect(started.stderr).toContain(`The daemon (pid ${pid}) does not answer`);
    expect(started.stderr).toContain('orange daemon restart');
    expect(started.stderr).not.toContain('orange daemon start');
    expect(started.code).toBe(1);
    process.kill(pid, 'SIGCONT');
  });
});
