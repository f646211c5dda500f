import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createRig } from './orange-rig.js';

type Row = { readonly reasons: readonly { readonly code: string; readonly message: string }[] };

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];

function yaml(setup: string): string {
  return JSON.stringify({ pool: { fill: 'ahead', setup: [setup], copy: ['cache.env'] } });
}

it('a set-up that runs is ended when its task is cancelled, and the worktree is free again', async () => {
  await using rig = await createRig({
    agents: { plain: { worker: 'idle' } },
    settings: { pool: { setup: ['echo $$ > "$ORANGE_HOME/setup-pid"; sleep 600; exit 1'] } },
  });
  const id = await rig.create('slow', 'x', '--no-spawn', ...PLAIN);
  const spawned = rig.orange('task', 'spawn', id);
  const note = join(rig.home, 'setup-pid');
  const pid = await rig.until('the set-up', () => existsSync(note) && readFileSync(note, 'utf8'));
  await rig.must('task', 'cancel', id, '--yes');
  expect((await spawned).code).toBe(1);
  expect(rig.field(id, 'status')).toBe('cancelled');
  expect(existsSync(`/proc/${pid.trim()}`)).toBe(false);
  await rig.until('the worktree is free', () => rig.pool()['shop--1']?.status === 'available');
  expect(rig.git(rig.workspace(), 'status', '--porcelain')).toBe('');
});

it('a worktree of a pool that is filled ahead is set up again after it was made anew', async () => {
  const setup = ['mkdir -p cache && echo ready > cache/ready'];
  await using rig = await createRig({
    agents: { plain: { worker: 'idle' } },
    poolSize: 1,
    settings: { pool: { fill: 'ahead', setup } },
  });
  await rig.must('workspace', 'init');
  const ready = join(rig.workspace(), 'cache/ready');
  // Git ignores it, and it is no file, which orange would take away.
  mkdirSync(join(rig.workspace(), 'TASK.md'));
  writeFileSync(join(rig.workspace(), 'TASK.md/.gitignore'), '*\n');
  const mended = await rig.must('doctor', '--fix', 'worktree-without-task', '--yes');
  expect(mended.stdout).toContain('made anew shop--1');
  await rig.until('another set-up', () => existsSync(ready));
  expect(rig.git(rig.workspace(), 'status', '--porcelain')).toBe('');
  expect(existsSync(join(rig.workspace(), 'TASK.md'))).toBe(false);
});

it('a pool that is filled ahead is set up once trusted, tells of it, and a set-up that fails says where to look', async () => {
  await using rig = await createRig({
    agents: { plain: { worker: 'idle' } },
    poolSize: 2,
    // No second try comes in between.
    policy: { respawn_backoff_seconds: [600] },
  });
  const orangeYaml = join(rig.repository, 'orange.yaml');
  writeFileSync(orangeYaml, yaml('mkdir -p cache && echo "$ORANGE_SLOT" >> cache/ready'));
  writeFileSync(join(rig.repository, 'cache.env'), 'KEY=1\n');
  const ready = (slot: number): string => join(rig.workspace(`shop--${slot}`), 'cache', 'ready');

  const untrusted = await rig.must('task', 'create', 'first', 'x', ...PLAIN);
  expect(untrusted.stderr).toContain('orange project trust');
  expect(existsSync(ready(1))).toBe(false);
  expect(readFileSync(join(rig.workspace(), 'cache.env'), 'utf8')).toBe('KEY=1\n');
  expect(rig.git(rig.workspace(), 'status', '--porcelain')).toBe('');
  await rig.until('the second worktree', () => rig.pool()['shop--2']?.status === 'available');

  await rig.must('project', 'trust');
  await rig.must('workspace', 'init');
  expect(readFileSync(ready(2), 'utf8')).toBe('2\n');
  const second = await rig.create('second', 'y', ...PLAIN);
  expect(rig.field(second, 'workspace')).toBe('shop--2');
  expect(readFileSync(ready(2), 'utf8')).toBe('2\n');
  await rig.must('task', 'cancel', second, '--yes');

  writeFileSync(orangeYaml, yaml('echo no such registry >&2; exit 7'));
  await rig.must('project', 'trust');
  const third = await rig.create('third', 'z', ...PLAIN);
  expect(rig.field(third, 'status')).toBe('pending');
  const rows = (await rig.must('next', '--explain', '--json')).json<Row[]>();
  expect(rows[0]?.reasons.map(({ code }) => code)).toEqual(['start-failed']);
  const message = rows[0]?.reasons[0]?.message ?? '';
  const log = /its output is in (\S+\.log)/.exec(message)?.[1] ?? '';
  expect(readFileSync(log, 'utf8')).toContain('no such registry');
  expect(rig.pool()['shop--2']).toEqual({ status: 'available' });
  expect(rig.git(rig.workspace('shop--2'), 'status', '--porcelain')).toBe('');
});

it('what somebody left in a free worktree is saved, and no agent is given it', async () => {
  await using rig = await createRig({
    agents: { plain: { worker: 'idle' } },
    poolSize: 1,
    policy: { respawn_backoff_seconds: [1] },
  });
  const first = await rig.create('first', 'x', ...PLAIN);
  await rig.must('task', 'cancel', first, '--yes');
  const stray = join(rig.workspace(), 'stray.txt');
  writeFileSync(stray, 'not the task’s\n');
  const second = await rig.create('second', 'y', ...PLAIN);
  await rig.until('a start on a clean worktree', () => rig.field(second, 'status') === 'planning');
  expect(existsSync(stray)).toBe(false);
  const saved = (await rig.must('salvage', 'list', '--json')).json<{ readonly ref: string }[]>();
  expect(saved).toHaveLength(1);
  expect(rig.git(rig.repository, 'show', `${saved[0]?.ref}:stray.txt`)).toBe('not the task’s');
});

it('F40 a free worktree is looked through ahead and watched: what comes later is saved, too', async () => {
  await using rig = await createRig({ agents: { plain: { worker: 'idle' } }, poolSize: 1 });
  const looks = (): readonly string[] =>
    rig
      .read(join(rig.home, 'orange.log'))
      .split('\n')
      .filter((line) => line.includes('"event":"pool.looked-through"'));
  const free = async (count: number): Promise<void> => {
    await rig.until('the look', () => looks().length === count);
    expect(looks().at(-1)).toContain('"watched":true');
  };
  const first = await rig.create('first', 'x', ...PLAIN);
  await rig.must('task', 'cancel', first, '--yes');
  await free(1);
  const second = await rig.create('second', 'x', ...PLAIN);
  expect(rig.git(rig.workspace(), 'branch', '--show-current')).toBe('second');
  expect(rig.git(rig.workspace(), 'for-each-ref', 'refs/orange/salvage')).toBe('');
  await rig.must('task', 'cancel', second, '--yes');
  await free(2);
  writeFileSync(join(rig.workspace(), 'stray.txt'), 'not the task’s\n');
  const third = await rig.create('third', 'x', ...PLAIN);
  expect(rig.field(third, 'workspace')).toBe('shop--1');
  expect(rig.git(rig.workspace(), 'status', '--porcelain')).toBe('');
  const [ref = ''] = rig
    .git(rig.repository, 'for-each-ref', '--format=%(refname)', 'refs/orange/salvage')
    .split('\n');
  expect(rig.git(rig.repository, 'show', `${ref}:stray.txt`)).toBe('not the task’s');
});
