import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentProcesses, launchesAlive } from './daemon-checks.js';
import { createRig, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
const IDLE = { agents: { plain: { worker: 'say start; idle' } } };

const LOSSES: readonly (readonly [string, (directory: string) => void])[] = [
  ['is deleted', (directory) => rmSync(join(directory, 'worker.pid'))],
  ['is emptied', (directory) => writeFileSync(join(directory, 'worker.pid'), '')],
  ['is filled with garbage', (directory) => writeFileSync(join(directory, 'worker.pid'), '\0{{')],
  ['is deleted with its folder', (directory) => rmSync(directory, { recursive: true })],
];

describe('the launch record of a living agent', () => {
  it.each(LOSSES)('F3 is written anew when it %s, and the agent lives on', async (_, lose) => {
    await using rig = await createRig(IDLE);
    const { id, launch } = await givenAgent(rig);
    const record = join(rig.home, 'run', id, 'worker.pid');
    lose(join(rig.home, 'run', id));
    appendFileSync(rig.taskFile(id), '\n## Notes\n\nat work\n');
    await rig.until('the record', () => existsSync(record) && rig.read(record).includes(launch));
    await rig.must('task', 'update', id, '--summary', 'y');
    expect(launchesAlive(id, 'worker')).toEqual([launch]);
    expect(rig.said()).toEqual(['start']);
    expect(rig.history(id).filter(({ type }) => type === 'agent.crashed')).toEqual([]);
    expect(rig.field(id, 'crash_count')).toBe('0');
  });
});

describe('an agent that dies without a launch record', () => {
  it('F3 is noticed within seconds, though its record is gone', async () => {
    await using rig = await createRig(IDLE);
    const { id } = await givenAgent(rig);
    rmSync(join(rig.home, 'run', id), { recursive: true });
    for (const { pid } of agentProcesses(id, 'worker')) process.kill(pid, 'SIGKILL');
    await rig.until('the crash', () => isCrashed(rig, id), 8000);
    await rig.until('the next agent', () => rig.said().length === 2);
    expect(launchesAlive(id, 'worker')).toHaveLength(1);
  });
});

describe('an agent that dies without a launch record and leaves an orphan', () => {
  it('F3 is noticed, whoever takes the orphan in', async () => {
    const worker = 'ORPHAN=yes setsid sleep 300 < /dev/null > /dev/null 2>&1 & say start; idle';
    await using rig = await createRig({ agents: { plain: { worker } } });
    const { id } = await givenAgent(rig);
    rmSync(join(rig.home, 'run', id), { recursive: true });
    const processes = agentProcesses(id, 'worker');
    const doomed = processes.filter(({ env }) => !env.has('ORPHAN'));
    expect(processes.length - doomed.length).toBe(1);
    for (const { pid } of doomed) process.kill(pid, 'SIGKILL');
    await rig.until('the crash', () => isCrashed(rig, id), 8000);
    await rig.until('the next agent', () => rig.said().length === 2);
  });
});

async function givenAgent(rig: Rig): Promise<{ readonly id: string; readonly launch: string }> {
  const id = await rig.create('mine', 'x', ...PLAIN);
  await rig.waitForStatus(id, 'planning');
  await rig.until('the agent', () => rig.said().length === 1);
  const [launch = 'none'] = launchesAlive(id, 'worker');
  return { id, launch };
}

function isCrashed(rig: Rig, id: string): boolean {
  return rig.history(id).some(({ type }) => type === 'agent.crashed');
}
