import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProcessTable } from '../../../src/adapters/process-table.js';
import { DEFAULT_SETTINGS } from '../../../src/domain/settings.js';
import type { PrepareRequest } from '../../../src/ports.js';
import { failure, GitRig, TASK, value } from './git-rig.js';

const RAN = ['mkdir -p ignored && echo ran >> ignored/runs'];

function order(rig: GitRig, pool: Partial<PrepareRequest['pool']>): PrepareRequest {
  return {
    repository: rig.repository,
    worktree: rig.worktree,
    pool: { ...DEFAULT_SETTINGS.pool, ...pool },
    env: { ...rig.env, FACT: '$(touch canary)' },
    logFile: join(rig.root, 'logs', 'setup.log'),
    onStep: () => undefined,
  };
}

/** A bound worktree, without a task's file in it. */
async function bound(): Promise<GitRig> {
  const rig = new GitRig().withCommit();
  value(await rig.repositories.bind(rig.bindRequest()));
  return rig;
}

function release(rig: GitRig, keepIgnored = true) {
  const { repository, worktree } = rig;
  const request = { repository, worktree, defaultBranch: 'main', taskId: TASK, keepIgnored };
  return rig.repositories.release(request);
}

function runs(rig: GitRig): number {
  if (!rig.exists(rig.worktree, 'ignored/runs')) return 0;
  return rig.read(rig.worktree, 'ignored/runs').split('\n').length - 1;
}

describe('setting a worktree up', () => {
  it('may set what git reads in that worktree alone, for every task that gets it', async () => {
    await using rig = await bound();
    const setup = [...RAN, 'git sparse-checkout set --no-cone /a.txt /.gitignore'];
    value(await rig.repositories.prepare(order(rig, { setup })));
    expect(rig.exists(rig.worktree, 'dir')).toBe(false);
    rig.git(rig.worktree, 'sparse-checkout', 'disable');
    value(await release(rig));
    value(await rig.repositories.bind(rig.bindRequest({ branch: 'second' })));
    value(await rig.repositories.prepare(order(rig, { setup })));
    expect(rig.exists(rig.worktree, 'dir')).toBe(false);
    expect(rig.exists(rig.worktree, 'a.txt')).toBe(true);
    expect(runs(rig)).toBe(1);
  });

  it('happens once, and again when a lock file, or the commands, changed', async () => {
    await using rig = await bound();
    const steps: string[] = [];
    const onStep = (step: string): void => void steps.push(step);
    value(await rig.repositories.prepare({ ...order(rig, { setup: RAN }), onStep }));
    value(await rig.repositories.prepare({ ...order(rig, { setup: RAN }), onStep }));
    expect(runs(rig)).toBe(1);
    expect(steps).toEqual([`setting up (${RAN[0]})`]);
    value(await release(rig));
    rig.commit(rig.repository, { 'b.txt': 'no lock file\n' });
    value(await rig.repositories.bind(rig.bindRequest({ branch: 'second' })));
    value(await rig.repositories.prepare(order(rig, { setup: RAN })));
    expect(runs(rig)).toBe(1);
    value(await release(rig));
    rig.commit(rig.repository, { 'web/package-lock.json': '{}\n' });
    value(await rig.repositories.bind(rig.bindRequest({ branch: 'third' })));
    value(await rig.repositories.prepare(order(rig, { setup: RAN })));
    expect(runs(rig)).toBe(2);
    const changed = [...RAN, 'printf %s "$FACT" > ignored/fact'];
    value(await rig.repositories.prepare(order(rig, { setup: changed })));
    expect(runs(rig)).toBe(3);
    expect(rig.read(rig.worktree, 'ignored/fact')).toBe('$(touch canary)');
    expect(rig.exists(rig.worktree, 'canary')).toBe(false);
  });

  it('depends on the files that the settings name', async () => {
    await using rig = await bound();
    const pool = { setup: RAN, setupFiles: ['dir/*.txt'] };
    value(await rig.repositories.prepare(order(rig, pool)));
    rig.commit(rig.worktree, { 'package-lock.json': '{}\n' });
    value(await rig.repositories.prepare(order(rig, pool)));
    expect(runs(rig)).toBe(1);
    rig.commit(rig.worktree, { 'dir/b.txt': 'other\n' });
    value(await rig.repositories.prepare(order(rig, pool)));
    expect(runs(rig)).toBe(2);
  });

  it('that fails names the command and the log, leaves the worktree clean, and is due again', async () => {
    await using rig = await bound();
    const pool = { setup: [...RAN, 'echo half > half.txt; echo no good >&2; exit 3', ...RAN] };
    const failed = failure(await rig.repositories.prepare(order(rig, pool)));
    expect(failed).toMatchObject({ kind: 'setup-failed', how: 'ended with 3' });
    expect(rig.read(rig.root, 'logs', 'setup.log')).toContain('no good');
    expect(rig.status(rig.worktree)).toBe('');
    expect(runs(rig)).toBe(1);
    expect(failure(await rig.repositories.prepare(order(rig, pool))).kind).toBe('setup-failed');
    expect(runs(rig)).toBe(2);
    expect(value(await release(rig)).salvageRef).toBeNull();
  });

  it('that takes too long is ended with all that it started', async () => {
    await using rig = await bound();
    const note = join(rig.root, 'pid');
    const pool = { setup: [`sleep 600 & echo $! > ${note}; wait`], setupTimeoutMinutes: 0.05 };
    const failed = failure(await rig.repositories.prepare(order(rig, pool)));
    expect(failed).toMatchObject({ kind: 'setup-failed', how: 'took longer than 0.05 min' });
    const pid = Number(rig.read(note));
    await expect.poll(() => createProcessTable().markOf(pid), { timeout: 20_000 }).toBeNull();
  });

  it('that is stopped is ended with all that it started, and is due again', async () => {
    await using rig = await bound();
    const note = join(rig.root, 'pid');
    const pool = {
      setup: [`sleep 600 & echo $! > ${note}.new; mv ${note}.new ${note}; wait`, ...RAN],
    };
    const stop = new AbortController();
    const ran = rig.repositories.prepare({ ...order(rig, pool), signal: stop.signal });
    await expect.poll(() => rig.exists(note), { timeout: 30_000 }).toBe(true);
    stop.abort();
    expect(failure(await ran)).toMatchObject({ kind: 'setup-failed', how: 'was stopped' });
    expect(runs(rig)).toBe(0);
    const pid = Number(rig.read(note));
    await expect.poll(() => createProcessTable().markOf(pid), { timeout: 20_000 }).toBeNull();
    const again = await rig.repositories.prepare({ ...order(rig, pool), signal: stop.signal });
    expect(failure(again)).toMatchObject({ how: 'was stopped' });
  });

  it('leaves nothing behind that would be taken for the work of a task', async () => {
    await using rig = await bound();
    const setup = ['echo changed > a.txt; echo new > new.txt; git add new.txt; mkdir ignored'];
    value(await rig.repositories.prepare(order(rig, { setup })));
    expect(rig.status(rig.worktree)).toBe('');
    expect(rig.exists(rig.worktree, 'new.txt')).toBe(false);
    expect(rig.exists(rig.worktree, 'ignored')).toBe(true);
  });

  it('is due again where ignored files are not kept', async () => {
    await using rig = await bound();
    const pool = { setup: RAN, copy: ['.env'] };
    rig.write(join(rig.repository, '.env'), 'KEY=1\n');
    value(await rig.repositories.prepare(order(rig, pool)));
    value(await release(rig, false));
    expect(rig.exists(rig.worktree, 'ignored')).toBe(false);
    expect(rig.exists(rig.worktree, '.env')).toBe(false);
    value(await rig.repositories.bind(rig.bindRequest({ branch: 'next' })));
    value(await rig.repositories.prepare(order(rig, pool)));
    expect(runs(rig)).toBe(1);
  });
});

describe('files that are copied from the checkout', () => {
  it('come with their modes, are fresh with each task, and go when nobody wants them', async () => {
    await using rig = await bound();
    const secret = join(rig.repository, '.env');
    rig.write(secret, 'KEY=1\n');
    chmodSync(secret, 0o600);
    rig.write(join(rig.repository, 'conf/local.run'), Buffer.from([0, 255, 10]));
    chmodSync(join(rig.repository, 'conf/local.run'), 0o755);
    const pool = { copy: ['./.env', 'conf/*.run', '.env.missing'] };
    value(await rig.repositories.prepare(order(rig, pool)));
    expect(rig.read(rig.worktree, '.env')).toBe('KEY=1\n');
    expect(statSync(join(rig.worktree, '.env')).mode & 0o777).toBe(0o600);
    expect(statSync(join(rig.worktree, 'conf/local.run')).mode & 0o777).toBe(0o755);
    expect(rig.status(rig.worktree)).toBe('');
    rig.write(join(rig.worktree, '.env'), 'KEY=of the task\n');
    expect(value(await release(rig)).salvageRef).toBeNull();
    value(await rig.repositories.bind(rig.bindRequest({ branch: 'next' })));
    value(await rig.repositories.prepare(order(rig, { copy: ['.env'] })));
    expect(rig.read(rig.worktree, '.env')).toBe('KEY=1\n');
    expect(rig.exists(rig.worktree, 'conf/local.run')).toBe(false);
  });

  it('never take the place of a tracked file, nor lead out of either tree', async () => {
    await using rig = await bound();
    rig.write(join(rig.repository, 'a.txt'), 'changed in the checkout\n');
    const outside = join(rig.root, 'outside');
    rig.write(join(outside, 'secret'), 'secret\n');
    symlinkSync(join(outside, 'secret'), join(rig.repository, 'link.env'));
    symlinkSync(outside, join(rig.repository, 'linked'));
    rig.write(join(rig.repository, 'conf', 'x.env'), 'x\n');
    symlinkSync(outside, join(rig.worktree, 'conf'));
    mkdirSync(join(rig.repository, 'folder'));
    const copy = [
      'a.txt',
      'link.env',
      'linked/secret',
      'conf/x.env',
      'folder',
      '../outside/secret',
      '/etc/passwd',
      '.git/config',
      'TASK.md',
    ];
    value(await rig.repositories.prepare(order(rig, { copy })));
    expect(rig.read(rig.worktree, 'a.txt')).toBe('one\n');
    expect(rig.exists(rig.worktree, 'link.env')).toBe(false);
    expect(rig.exists(rig.worktree, 'linked')).toBe(false);
    expect(rig.exists(outside, 'x.env')).toBe(false);
    expect(rig.exists(rig.worktree, 'folder')).toBe(false);
    const skipped = rig.events.filter(({ event }) => event === 'pool.not-copied');
    expect(skipped).toHaveLength(copy.length);
  });

  it('take the place of a link that a task left, not of what it leads to', async () => {
    await using rig = await bound();
    rig.write(join(rig.repository, '.env'), 'KEY=1\n');
    const outside = join(rig.root, 'outside');
    rig.write(outside, 'untouched\n');
    rmSync(join(rig.worktree, '.env'), { force: true });
    symlinkSync(outside, join(rig.worktree, '.env'));
    value(await rig.repositories.prepare(order(rig, { copy: ['.env'] })));
    expect(rig.read(rig.worktree, '.env')).toBe('KEY=1\n');
    expect(rig.read(outside)).toBe('untouched\n');
  });
});
