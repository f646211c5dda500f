import { appendFileSync, mkdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PASSING_REVIEWER, STEADY_WORKER } from './agent-prelude.js';
import { agentProcesses, exitCodeOf, killDaemon, outboxOf, spawnDaemon } from './daemon-checks.js';
import { createRig, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'] as const;
const CALM = { agents: { plain: { worker: 'idle' } } };

function statusesOf(rig: Rig, id: string): readonly unknown[] {
  return rig.history(id).flatMap((event) => (event['to'] === undefined ? [] : [event['to']]));
}

/** Asks for something that a daemon dies of at the failpoint. */
async function askToTheDeath(rig: Rig, failpoint: string, ...args: string[]): Promise<void> {
  await killDaemon(rig);
  const daemon = spawnDaemon(rig, { ORANGE_FAILPOINT: `${failpoint}:kill` });
  await rig.until('the daemon', async () => (await rig.orange('daemon', 'status')).code === 0);
  await rig.orange(...args);
  await exitCodeOf(daemon);
  await killDaemon(rig);
}

/** Asks for a cancellation of which the daemon only comes to replace TASK.md. */
async function cancelHalf(rig: Rig, id: string): Promise<void> {
  await askToTheDeath(rig, 'cancel.committed', 'task', 'cancel', id, '--yes');
  expect(rig.field(id, 'status')).toBe('cancelled');
}

describe('a move that was committed, and whose history cannot be written at the next start', () => {
  it('F14 is completed when it can be, and nobody takes it for an edit meanwhile', async () => {
    await using rig = await createRig({ poolSize: 1, ...CALM });
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    await cancelHalf(rig, id);
    spawnDaemon(rig, { ORANGE_FAILPOINT: 'history.before-write:throw:ENOSPC' });
    await rig.until('the move in the history', () => statusesOf(rig, id).includes('cancelled'));
    await rig.until('a free worktree', () =>
      Object.values(rig.pool()).every(({ status }) => status === 'available'),
    );
    expect(statusesOf(rig, id)).toEqual(['planning', 'cancelled']);
    expect(rig.history(id).map(({ type }) => type)).not.toContain('frontmatter.rejected');
    await rig.until('an empty outbox', () => outboxOf(rig).length === 0);
    expect(agentProcesses(id, 'worker')).toEqual([]);
  });

  it('I3 frees no worktree for another task before that, and refuses what is asked', async () => {
    await using rig = await createRig({ poolSize: 1, ...CALM });
    const first = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(first, 'planning');
    const second = await rig.create('second', 'y', ...PLAIN);
    await cancelHalf(rig, first);
    const history = join(rig.taskFile(first), '../history.jsonl');
    renameSync(history, `${history}.away`);
    mkdirSync(history);
    await rig.must('daemon', 'start');
    const asked = await rig.orange('task', 'update', first, '--summary', 'later');
    expect(asked.code).toBe(1);
    expect(asked.stderr).toContain('history.jsonl');
    expect(rig.field(second, 'status')).toBe('pending');
    rmdirSync(history);
    renameSync(`${history}.away`, history);
    await rig.waitForStatus(second, 'planning');
    expect(statusesOf(rig, first)).toEqual(['planning', 'cancelled']);
    expect(agentProcesses(first, 'worker')).toEqual([]);
    expect(agentProcesses(second, 'worker').length).toBeGreaterThan(0);
  });
});

describe('an update that TASK.md never got', () => {
  it.each([
    ['--summary', 'Other words'],
    ['--priority', 'high'],
  ])(
    'F1 by %s is not told in the history, whatever its agent has saved since',
    async (option, value) => {
      await using rig = await createRig(CALM);
      const id = await rig.create('first', 'x', ...PLAIN);
      await rig.waitForStatus(id, 'planning');
      const update = ['task', 'update', id, option, value];
      await askToTheDeath(rig, 'update.intent-written', ...update);
      const now = `updated_at: ${new Date().toISOString()}`;
      const text = rig.read(rig.taskFile(id));
      writeFileSync(rig.taskFile(id), text.replace(/^updated_at: .*$/m, now));
      await rig.must('daemon', 'start');
      await rig.until('an empty outbox', () => outboxOf(rig).length === 0);
      expect([rig.field(id, 'summary'), rig.field(id, 'priority')]).toEqual(['x', null]);
      expect(rig.history(id).map(({ type }) => type)).not.toContain('task.updated');
    },
  );
});

describe('a task whose history cannot be written while the daemon runs', () => {
  it('F14 is shown with the reason, keeps nobody waiting, and goes on when it can be', async () => {
    await using rig = await createRig({
      agents: { plain: { worker: 'idle', reviewer: PASSING_REVIEWER } },
    });
    const id = await rig.create('first', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'planning');
    const append = (text: string): void => appendFileSync(rig.taskFile(id), text);
    append('\n## Plan\n\nAPPROACH: look\nTOUCHING: a.txt\n');
    await rig.waitForStatus(id, 'working');
    const history = join(rig.taskFile(id), '../history.jsonl');
    renameSync(history, `${history}.away`);
    mkdirSync(history);
    append('\n## Handoff\n\nDONE: all\nREMAINING: nothing\n');
    await rig.until('the Handoff', () => rig.field(id, 'status') === 'agent-review');
    for (const asked of [
      ['task', 'update', id, '--summary', 'later'],
      ['task', 'cancel', id, '--yes'],
    ]) {
      const { code, stderr } = await rig.orange(...asked);
      expect([code, stderr]).toEqual([1, expect.stringContaining('history.jsonl')]);
    }
    for (const look of [['inbox'], ['doctor']]) {
      expect((await rig.orange(...look)).stdout).toContain('cannot be written down');
    }
    rmdirSync(history);
    renameSync(`${history}.away`, history);
    await rig.waitForStatus(id, 'reviewing');
    expect(statusesOf(rig, id)).toEqual(['planning', 'working', 'agent-review', 'reviewing']);
  });
});

describe('a task whose file cannot be read', () => {
  it('is not merged, and whoever asks is told why at once, however often', async () => {
    await using rig = await createRig({
      poolSize: 1,
      agents: { plain: { worker: STEADY_WORKER, reviewer: PASSING_REVIEWER } },
    });
    const id = await rig.create('broken', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'reviewing');
    const text = rig.read(rig.taskFile(id));
    const before = rig.git(rig.repository, 'rev-parse', 'main');
    writeFileSync(rig.taskFile(id), text.replace(/^status: .*$/m, 'status: bogus'));
    for (const attempt of [1, 2]) {
      const merged = await rig.orange('task', 'merge', id, '--yes');
      expect([attempt, merged.code]).toEqual([attempt, 1]);
      expect(merged.stderr).toContain('ORA033');
    }
    expect(rig.git(rig.repository, 'rev-parse', 'main')).toBe(before);
    writeFileSync(rig.taskFile(id), text);
    await rig.must('task', 'merge', id, '--yes');
    expect(rig.field(id, 'status')).toBe('done');
  });
});
