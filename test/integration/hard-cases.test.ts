import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { launchesAlive } from './daemon-checks.js';
import { createRig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'] as const;
const IDLE = { agents: { plain: { worker: 'say start; idle' } } };

describe('a task that is given up', () => {
  it('can be cancelled although its TASK.md cannot be read, and keeps what stood there', async () => {
    await using rig = await createRig(IDLE);
    const id = await rig.create('junk', 'x', ...PLAIN, '--context', 'precious context');
    await rig.waitForStatus(id, 'planning');
    writeFileSync(rig.taskFile(id), 'junk');
    const cancelled = await rig.orange('task', 'cancel', id, '--yes');
    expect(cancelled.code, cancelled.stderr).toBe(0);
    await rig.waitForStatus(id, 'cancelled');
    expect(rig.read(rig.taskFile(id))).toContain('precious context');
    expect(rig.sessions()).toEqual([]);
  });

  it('ends its agent even while its project cannot be looked up', async () => {
    await using rig = await createRig(IDLE);
    const id = await rig.create('lost', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    await rig.must('daemon', 'stop');
    const projects = join(rig.home, 'projects.json');
    const good = rig.read(projects);
    writeFileSync(projects, '[');
    await rig.must('task', 'cancel', id, '--yes');
    expect(rig.sessions()).toEqual([]);
    writeFileSync(projects, good);
    await rig.must('daemon', 'restart');
    const next = await rig.create('next', 'x', ...PLAIN);
    await rig.waitForStatus(next, 'planning');
    expect(rig.sessions()).toEqual(['shop/next']);
  });
});

describe('a worker that is started again', () => {
  it('is the only one, although the one before outlived its launcher', async () => {
    const stubborn = "trap '' HUP TERM INT; say start; kill -9 $PPID; idle";
    await using rig = await createRig({ agents: { plain: { worker: stubborn } } });
    const id = await rig.create('doubled', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'stuck');
    expect(launchesAlive(id, 'worker').length).toBeLessThanOrEqual(1);
    await rig.must('task', 'cancel', id, '--yes');
    expect(launchesAlive(id, 'worker')).toEqual([]);
  });
});

describe('one task’s damaged history', () => {
  it('does not keep the daemon from serving the others', async () => {
    await using rig = await createRig(IDLE);
    const bad = await rig.create('bad', 'x', ...PLAIN);
    await rig.waitForStatus(bad, 'planning');
    const path = join(rig.taskDir(bad), 'history.jsonl');
    rmSync(path);
    mkdirSync(path);
    expect((await rig.orange('task', 'update', bad, '--summary', 'y')).code).toBe(1);
    await rig.must('daemon', 'restart');
    const other = await rig.create('other', 'x', ...PLAIN);
    await rig.waitForStatus(other, 'planning');
  });
});

describe('an agent', () => {
  it('speaks for its own task only, does not judge its own work, and stops no daemon', async () => {
    await using rig = await createRig(IDLE);
    const own = await rig.create('own', 'x', ...PLAIN);
    const other = await rig.create('other', 'x', ...PLAIN);
    const env = { ORANGE_ROLE: 'worker', ORANGE_TASK_ID: own };
    for (const ask of [
      ['task', 'update', other, '--summary', 'mine now'],
      ['task', 'review', own, '--pass'],
      ['daemon', 'stop'],
    ]) {
      const answer = await rig.run([...ask, '--json'], { env });
      expect([ask, answer.code]).toEqual([ask, 1]);
      expect(answer.json<{ error: { code: string } }>().error.code).toBe('not-for-agents');
    }
    expect(rig.field(other, 'summary')).toBe('x');
    expect((await rig.run(['task', 'update', own, '--summary', 'ok'], { env })).code).toBe(0);
  });
});

describe('work in unusual places', () => {
  it('is not left behind by a merge when the agent went to a branch of its own', async () => {
    const worker = `add Plan 'APPROACH: x'
      await_status working
      work one
      git checkout -qb sneaky
      work two
      add Handoff 'DONE: two files'
      idle`;
    await using rig = await createRig({
      agents: { plain: { worker } },
      policy: { gates: { review: 'skip' } },
    });
    const id = await rig.create('astray', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'reviewing');
    const merged = await rig.orange('task', 'merge', id, '--yes', '--json');
    expect(merged.code).toBe(1);
    expect(merged.json<{ error: { code: string } }>().error.code).toBe('merge-refused');
    expect(rig.field(id, 'status')).toBe('reviewing');
    expect(rig.git(rig.repository, 'log', '--oneline', 'main').split('\n')).toHaveLength(1);
  });

  it('is salvaged from a sparse checkout too', async () => {
    const worker = `git sparse-checkout set --no-cone /README.md
      mkdir deep && echo kept > deep/file.txt
      say ready; idle`;
    await using rig = await createRig({ agents: { plain: { worker } } });
    const id = await rig.create('sparse', 'x', ...PLAIN);
    await rig.until('the work', () => rig.said().includes('ready'));
    await rig.must('task', 'cancel', id, '--yes');
    const ref = rig.history(id).find(({ type }) => type === 'workspace.salvaged')?.['ref'];
    expect(rig.git(rig.repository, 'show', `${String(ref)}:deep/file.txt`)).toBe('kept');
    await rig.until('a free worktree', () => rig.pool()['shop--1']?.status === 'available');
  });
});
