import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TaskView } from '../../src/domain/task-view.js';
import { SAMPLE_TEXT } from '../record/sample-task.js';
import { snapshotOf, taskView } from '../tui/task-views.js';
import { cliRig } from './cli-rig.js';

const AT = '2026-01-31T09:30:00Z';
const SPAWNED = { type: 'agent.spawned', timestamp: AT, window: 'worker', launch: 'L1' };
const TRANSCRIPT = 'transcripts/worker-L1.txt';
const CRASHED = { ...SPAWNED, type: 'agent.crashed', reason: 'no Plan', transcript: TRANSCRIPT };
const STUCK = taskView({ fields: { status: 'stuck' }, session: 'crashed' });

function rigOf(task: TaskView, events: readonly object[], files: Readonly<Record<string, string>>) {
  const rig = cliRig({ snapshot: snapshotOf([task]) });
  const dir = join(rig.home, 'tasks', 'shop', task.fields.id);
  write(join(dir, 'TASK.md'), SAMPLE_TEXT);
  write(join(dir, 'history.jsonl'), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  for (const [name, text] of Object.entries(files)) write(join(dir, name), text);
  const runDir = join(rig.home, 'run', task.fields.id);
  return { ...rig, dir, runDir };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const screenOf = (lines: number): string =>
  Array.from({ length: lines }, (_, at) => `line ${at + 1}\n`).join('');

describe('the last screen of an agent that ended', () => {
  it('is shown with a task that is stuck, by its last lines and its file', async () => {
    const rig = rigOf(STUCK, [SPAWNED, CRASHED], { [TRANSCRIPT]: `${screenOf(30)}\n\n` });
    const { stdout } = await rig.run('task', 'show', 'abc0');
    expect(stdout).toContain('Last screen of its agent\n  line 21\n');
    expect(stdout).toContain(`  line 30\n${join(rig.dir, TRANSCRIPT)}\n`);
    const json = (await rig.run('task', 'show', 'abc0', '--json')).json();
    expect(json).toMatchObject({
      last_screen: {
        file: join(rig.dir, TRANSCRIPT),
        lines: screenOf(30).trimEnd().split('\n').slice(-10),
      },
    });
  });

  it('cannot steer the terminal of whoever reads it', async () => {
    const rig = rigOf(STUCK, [CRASHED], {
      [TRANSCRIPT]: 'fatal: \u001B[31mno\u001B]0;x\u0007 key\n',
    });
    expect((await rig.run('task', 'show', 'abc0')).stdout).toContain('  fatal: no key\n');
  });

  it('is the one its launcher left where no crash was noted', async () => {
    const waiting = taskView({ fields: { status: 'reviewing' }, session: 'crashed' });
    const rig = rigOf(waiting, [CRASHED, SPAWNED], { [TRANSCRIPT]: 'earlier\n' });
    write(join(rig.runDir, 'worker.screen'), 'later\n');
    expect((await rig.run('task', 'show', 'abc0', '--json')).json()).toMatchObject({
      last_screen: { file: join(rig.runDir, 'worker.screen'), lines: ['later'] },
    });
  });

  it('is not shown while an agent works', async () => {
    const rig = rigOf(taskView(), [CRASHED, SPAWNED], { [TRANSCRIPT]: 'earlier\n' });
    expect((await rig.run('task', 'show', 'abc0', '--json')).json()).toMatchObject({
      last_screen: null,
    });
  });

  it.each(['transcripts/../TASK.md', '../../../secret', '/etc/passwd'])(
    'is never read from %s, whatever a history names',
    async (transcript) => {
      const rig = rigOf(STUCK, [{ ...CRASHED, transcript, window: '../x' }], {});
      expect((await rig.run('task', 'show', 'abc0', '--json')).json()).toMatchObject({
        last_screen: null,
      });
    },
  );

  it('is never read through a link', async () => {
    const rig = rigOf(STUCK, [CRASHED], { 'transcripts/other.txt': 'secret\n' });
    symlinkSync(join(rig.dir, 'TASK.md'), join(rig.dir, TRANSCRIPT));
    expect((await rig.run('task', 'show', 'abc0', '--json')).json()).toMatchObject({
      last_screen: null,
    });
  });

  it('has a path in the log of the task that can be opened from anywhere', async () => {
    const rig = rigOf(STUCK, [CRASHED], { [TRANSCRIPT]: 'x\n' });
    const { stdout } = await rig.run('task', 'log', 'abc0');
    expect(stdout.replaceAll(/\s+/g, '')).toContain(`transcript=${join(rig.dir, TRANSCRIPT)}`);
    expect((await rig.run('task', 'log', 'abc0', '--json')).rows()[0]).toMatchObject({
      transcript: TRANSCRIPT,
    });
  });
});
