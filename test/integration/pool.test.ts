import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PASSING_REVIEWER, STEADY_WORKER } from './agent-prelude.js';
import { createRig, type Rig } from './orange-rig.js';

const PLAIN = ['--harness', 'plain', '--review-harness', 'plain'];
const IDLE = { agents: { plain: { worker: 'idle' } } };

type Row = { id: string; eligible: boolean; reasons: { code: string; message: string }[] };

describe('a pool with one worktree', () => {
  it('lets the second task wait with a reason, and starts it when the first is cancelled', async () => {
    await using rig = await createRig({ ...IDLE, poolSize: 1 });
    const first = await rig.create('first', 'x', ...PLAIN);
    const second = await rig.create('second', 'y', ...PLAIN);
    expect(rig.field(first, 'status')).toBe('planning');
    expect(rig.field(second, 'status')).toBe('pending');
    const rows = (await rig.must('next', '--explain', '--json')).json<Row[]>();
    expect(rows).toEqual([
      {
        id: second,
        eligible: false,
        reasons: [
          {
            code: 'pool-full',
            message: expect.stringContaining('shop'),
            settle: 'orange project update shop --pool-size N',
          },
        ],
      },
    ]);
    const spawned = await rig.must('task', 'spawn', second, '--json');
    expect(spawned.json()).toMatchObject({ status: 'pending' });
    await rig.must('task', 'cancel', first, '--yes');
    await rig.waitForStatus(second, 'planning');
    expect(rig.field(second, 'workspace')).toBe('shop--1');
    expect(rig.pool()).toMatchObject({ 'shop--1': { status: 'bound', task: 'shop/second' } });
    expect(rig.sessions()).toEqual(['shop/second']);
    expect((await rig.must('next', '--explain', '--json')).json()).toEqual([]);
  });

  it('starts the next task by priority and age when one is merged', async () => {
    await using rig = await createRig({
      poolSize: 1,
      agents: {
        plain: { worker: STEADY_WORKER, reviewer: PASSING_REVIEWER },
        calm: { worker: 'idle' },
      },
    });
    const first = await rig.create('first', 'x', ...PLAIN);
    const older = await rig.create('older', 'y', '--harness', 'calm');
    const urgent = await rig.create('urgent', 'z', '--harness', 'calm', '--priority', 'high');
    await rig.waitForStatus(first, 'reviewing');
    await rig.must('task', 'merge', first, '--yes');
    await rig.waitForStatus(urgent, 'planning');
    expect(rig.field(older, 'status')).toBe('pending');
    expect(existsSync(join(rig.workspace(), 'done.txt'))).toBe(true);
  });
});

describe('a worktree that is given back', () => {
  it('leaves all uncommitted work under a salvage ref, and no left-overs but what git ignores', async () => {
    await using rig = await createRig({
      poolSize: 1,
      agents: {
        plain: {
          worker: `work committed; echo changed >> README.md; echo staged > staged.txt; git add staged.txt
            mkdir -p 'new folder' cache; echo untracked > 'new folder/ü.txt'; printf 'bin\\000ary' > raw.bin; chmod +x raw.bin
            echo warm > cache/warm; say ready; idle`,
        },
        calm: { worker: 'idle' },
      },
    });
    const first = await rig.create('messy', 'x', ...PLAIN);
    const second = await rig.create('clean', 'y', '--harness', 'calm');
    await rig.until('the mess', () => rig.said().includes('ready'));
    const tip = rig.git(rig.workspace(), 'rev-parse', 'HEAD');
    const cancelled = await rig.must('task', 'cancel', first, '--yes', '--json');
    expect(cancelled.json()).toMatchObject({ status: 'cancelled', workspace: null });

    const salvaged = rig.history(first).find(({ type }) => type === 'workspace.salvaged');
    const ref = `refs/orange/salvage/${first}/1`;
    expect(salvaged).toMatchObject({ workspace: 'shop--1', ref });
    const show = (path: string): string => rig.git(rig.repository, 'show', `${ref}:${path}`);
    expect(show('README.md')).toBe('# Sample\nchanged');
    expect(show('staged.txt')).toBe('staged');
    expect(show('committed.txt')).toBe('committed');
    expect(show('new folder/ü.txt')).toBe('untracked');
    expect(rig.git(rig.repository, 'ls-tree', ref, 'raw.bin')).toMatch(/^100755 blob/);
    expect(rig.git(rig.repository, 'ls-tree', '-r', '--name-only', ref)).not.toContain('TASK.md');
    expect(rig.git(rig.repository, 'rev-parse', `${ref}^1`)).toBe(tip);

    await rig.waitForStatus(second, 'planning');
    expect(readdirSync(rig.workspace()).toSorted()).toEqual([
      '.git',
      '.gitignore',
      'README.md',
      'TASK.md',
      'cache',
    ]);
    expect(rig.read(join(rig.workspace(), 'TASK.md'))).toContain(`id: ${second}`);
    expect(rig.read(join(rig.workspace(), 'cache', 'warm'))).toBe('warm\n');
    expect(rig.git(rig.workspace(), 'status', '--porcelain')).toBe('');
    expect(rig.git(rig.workspace(), 'rev-parse', 'HEAD')).toBe(
      rig.git(rig.repository, 'rev-parse', 'main'),
    );
  });

  it('F46 is not called free when somebody has moved it away, and what was moved stays', async () => {
    await using rig = await createRig({
      poolSize: 1,
      agents: { plain: { worker: STEADY_WORKER, reviewer: PASSING_REVIEWER } },
    });
    const task = await rig.create('moved', 'x', ...PLAIN);
    await rig.waitForStatus(task, 'reviewing');
    const away = join(rig.root, 'moved-away');
    renameSync(rig.workspace(), away);
    await rig.must('task', 'merge', task, '--yes');
    expect(rig.field(task, 'status')).toBe('done');
    await rig.until('the pool without it', () => Object.keys(rig.pool()).length === 0);
    await rig.must('daemon', 'restart');
    expect(rig.pool()).toEqual({});
    expect(existsSync(join(away, 'done.txt'))).toBe(true);
  });

  it('keeps the commits of a cancelled task reachable', async () => {
    await using rig = await createRig({
      agents: { plain: { worker: 'work kept; say ready; idle' } },
    });
    const id = await rig.create('kept', 'x', ...PLAIN);
    await rig.until('the commit', () => rig.said().includes('ready'));
    const tip = rig.git(rig.workspace(), 'rev-parse', 'HEAD');
    await rig.must('cancel', id, '--yes');
    expect(
      rig.git(rig.repository, 'for-each-ref', '--contains', tip, '--format=%(refname)'),
    ).not.toBe('');
  });

  it('F41 F42 is not cleaned under an agent that will not go', async () => {
    await using rig = await createRig({
      poolSize: 1,
      agents: {
        plain: {
          worker: `trap '' HUP TERM INT; echo mine > mine.txt; say ready; while :; do sleep 0.2; done`,
        },
      },
    });
    const id = await rig.create('stubborn', 'x', ...PLAIN);
    await rig.until('its start', () => rig.said().includes('ready'));
    await rig.must('task', 'cancel', id, '--yes');
    expect(rig.pool()).toEqual({ 'shop--1': { status: 'available' } });
    expect(existsSync(join(rig.workspace(), 'mine.txt'))).toBe(false);
    expect(rig.git(rig.repository, 'show', `refs/orange/salvage/${id}/1:mine.txt`)).toBe('mine');
  });
});

describe('a project', () => {
  it('whose name contains -- has worktrees of its own', async () => {
    await using rig = await createRig({ ...IDLE, project: 'a--1', poolSize: 1 });
    const id = await rig.create('x', 'x', ...PLAIN);
    expect(rig.field(id, 'workspace')).toBe('a--1--1');
    expect(rig.pool()).toMatchObject({ 'a--1--1': { status: 'bound', task: 'a--1/x' } });
    await rig.must('task', 'cancel', id, '--yes');
    expect(rig.pool()).toEqual({ 'a--1--1': { status: 'available' } });
    expect(rig.git(rig.workspace('a--1--1'), 'rev-parse', '--show-toplevel')).toBe(
      rig.workspace('a--1--1'),
    );
  });

  it('with changes in its checkout keeps them, and says that the task does not have them', async () => {
    await using rig = await createRig({
      agents: { plain: { worker: STEADY_WORKER, reviewer: PASSING_REVIEWER } },
    });
    writeFileSync(join(rig.repository, 'README.md'), 'mine\n');
    writeFileSync(join(rig.repository, 'new.txt'), 'mine\n');
    const made = await rig.must('task', 'create', 'beside', 'x', ...PLAIN);
    expect(made.stderr).toMatch(/change/i);
    const [task] = (await rig.must('task', 'list', '--json')).json<{ id: string }[]>();
    const id = task?.id ?? '';
    await rig.waitForStatus(id, 'reviewing');
    const refused = await rig.orange('task', 'merge', id, '--yes', '--json');
    expect(refused.code).toBe(1);
    expect(refused.json<{ error: { code: string } }>().error.code).toBe('merge-refused');
    expect(rig.read(join(rig.repository, 'README.md'))).toBe('mine\n');
    expect(rig.git(rig.repository, 'status', '--porcelain')).toBe('M README.md\n?? new.txt');
    expect(
      rig.git(rig.repository, 'for-each-ref', 'refs/orange/merged', '--format=%(refname)'),
    ).toContain(id);
    rig.git(rig.repository, 'stash', '--include-untracked', '--quiet');
    await rig.must('task', 'merge', id, '--yes');
    expect(rig.git(rig.repository, 'show', 'main:done.txt')).toBe('done');
  });

  it('is merged without touching a checkout that stands on another branch', async () => {
    await using rig = await createRig({
      agents: { plain: { worker: STEADY_WORKER, reviewer: PASSING_REVIEWER } },
    });
    rig.git(rig.repository, 'switch', '--quiet', '--create', 'elsewhere');
    writeFileSync(join(rig.repository, 'README.md'), 'mine\n');
    const id = await rig.create('beside', 'x', ...PLAIN);
    await rig.waitForStatus(id, 'reviewing');
    await rig.must('task', 'merge', id, '--yes');
    expect(rig.git(rig.repository, 'show', 'main:done.txt')).toBe('done');
    expect(rig.git(rig.repository, 'symbolic-ref', '--short', 'HEAD')).toBe('elsewhere');
    expect(rig.git(rig.repository, 'status', '--porcelain')).toBe('M README.md');
  });

  it('with a remote starts from what the remote has', async () => {
    await using rig = await createRig(IDLE);
    const bare = join(rig.root, 'bare.git');
    rig.git(rig.root, 'clone', '--quiet', '--bare', rig.repository, bare);
    rig.git(rig.repository, 'remote', 'add', 'origin', bare);
    const other = join(rig.root, 'other');
    rig.git(rig.root, 'clone', '--quiet', bare, other);
    rig.write(join(other, 'theirs.txt'), 'theirs\n');
    rig.git(other, 'add', '--all');
    rig.git(other, 'commit', '-qm', 'Theirs');
    rig.git(other, 'push', '--quiet', 'origin', 'main');
    await rig.create('fresh', 'x', ...PLAIN);
    expect(existsSync(join(rig.workspace(), 'theirs.txt'))).toBe(true);
    expect(existsSync(join(rig.repository, 'theirs.txt'))).toBe(false);
  });

  it('may be a bare repository', async () => {
    await using rig = await createRig({
      agents: { plain: { worker: STEADY_WORKER, reviewer: PASSING_REVIEWER } },
    });
    const bare = join(rig.root, 'bare.git');
    rig.git(rig.root, 'clone', '--quiet', '--bare', rig.repository, bare);
    await rig.must('project', 'add', bare, '--name', 'bare');
    const made = await rig.must(
      'task',
      'create',
      'x',
      'y',
      ...PLAIN,
      '--project',
      'bare',
      '--json',
    );
    const { id } = made.json<{ id: string }>();
    await rig.must('task', 'wait', id, '--status', 'reviewing', '--timeout', '30');
    await rig.must('task', 'merge', id, '--yes');
    expect(rig.git(bare, 'show', 'main:done.txt')).toBe('done');
  });

  it('that has moved is mended by saying where it is', async () => {
    await using rig = await createRig(IDLE);
    const moved = join(rig.root, 'moved');
    renameSync(rig.repository, moved);
    const here = { cwd: rig.root };
    const ill = await rig.run(['doctor'], here);
    expect([ill.code, ill.stdout.includes('project update')]).toEqual([1, true]);
    const made = await rig.run(
      ['task', 'create', 'x', 'y', ...PLAIN, '--project', 'shop', '--json'],
      here,
    );
    const { id } = made.json<{ id: string }>();
    expect(rig.field(id, 'status')).toBe('pending');
    expect(rig.history(id).map(({ type }) => type)).toEqual(['task.created', 'spawn.failed']);
    const mended = await rig.run(['project', 'update', 'shop', '--path', moved], here);
    expect(mended.code).toBe(0);
    await rig.waitForStatus(id, 'planning');
  });

  it('without a commit, or that is no repository, is refused with a reason', async () => {
    await using rig = await createRig();
    rig.write(join(rig.root, 'empty', 'x'), '');
    rig.git(join(rig.root, 'empty'), 'init', '--quiet');
    const refusals = [
      ['repository-without-commits', join(rig.root, 'empty')],
      ['not-a-repository', rig.root],
      ['not-a-repository', join(rig.root, 'missing')],
    ];
    for (const [code, path] of refusals) {
      const refused = await rig.orange('project', 'add', path ?? '', '--json');
      expect(refused.code).toBe(1);
      expect(refused.json()).toMatchObject({ error: { code } });
    }
  });

  it('F48 whose hooks and settings would run something runs nothing of it', async () => {
    await using rig = await createRig(IDLE);
    const canary = join(rig.root, 'pwn');
    for (const hook of [
      'post-checkout',
      'reference-transaction',
      'post-index-change',
      'pre-commit',
    ]) {
      rig.write(join(rig.repository, '.git', 'hooks', hook), `#!/bin/sh\ntouch ${canary}\n`);
      await makeExecutable(rig, hook);
    }
    rig.git(rig.repository, 'config', 'core.fsmonitor', `touch ${canary}`);
    const id = await rig.create('hooked', 'x', ...PLAIN);
    expect(rig.field(id, 'status')).toBe('planning');
    await rig.must('task', 'cancel', id, '--yes');
    expect(existsSync(canary)).toBe(false);
  });
});

async function makeExecutable(rig: Rig, hook: string): Promise<void> {
  const { chmod } = await import('node:fs/promises');
  await chmod(join(rig.repository, '.git', 'hooks', hook), 0o755);
}
