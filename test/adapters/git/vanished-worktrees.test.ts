import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failure, GitRig, TASK, value } from './git-rig.js';

let rig: GitRig;
let pool: string;

beforeAll(() => {
  rig = new GitRig().withCommit();
  pool = join(rig.root, 'workspaces');
});

afterAll(async () => {
  await rig[Symbol.asyncDispose]();
});

function order(name: string) {
  const worktree = join(pool, name);
  return { repository: rig.repository, worktree, defaultBranch: 'main', taskId: TASK };
}

/** A bound worktree with staged work, of which only git's record will be left. */
async function stagedIn(name: string) {
  const request = order(name);
  await rig.bind({ worktree: request.worktree, branch: `b-${name}` });
  rig.write(join(request.worktree, 'staged.txt'), `staged in ${name}\n`);
  rig.git(request.worktree, 'add', 'staged.txt');
  return request;
}

async function vanished() {
  return value(await rig.repositories.findVanished(rig.repository, pool));
}

function known(path: string): boolean {
  return rig.git(rig.repository, 'worktree', 'list', '--porcelain').includes(`worktree ${path}\n`);
}

it('F46 staged work of a deleted worktree is kept before git forgets it, and its branch stays', async () => {
  const request = await stagedIn('p--1');
  const tip = rig.head(rig.repository, 'b-p--1');
  rmSync(request.worktree, { recursive: true });
  expect(await vanished()).toEqual([{ path: request.worktree, movedTo: null, isLocked: false }]);
  const { salvageRef } = value(await rig.repositories.forgetVanished(request));
  expect(rig.stored(salvageRef ?? '', 'staged.txt').toString()).toBe('staged in p--1\n');
  expect(rig.head(rig.repository, 'b-p--1')).toBe(tip);
  expect(await vanished()).toEqual([]);
  expect(known(request.worktree)).toBe(false);
  const place = { kind: 'branch', branch: 'again-1' } as const;
  const ref = salvageRef ?? '';
  value(await rig.repositories.salvage.restore({ repository: rig.repository, ref, place }));
  expect(rig.git(rig.repository, 'show', 'again-1:staged.txt')).toBe('staged in p--1');
});

it('F46 the same is kept when the worktree is released, which lets git forget it', async () => {
  const request = await stagedIn('p--2');
  rmSync(request.worktree, { recursive: true });
  const released = value(await rig.repositories.release(request));
  expect(rig.stored(released.salvageRef ?? '', 'staged.txt').toString()).toContain('p--2');
  expect(known(request.worktree)).toBe(false);
  value(await rig.repositories.ensureWorktree(request));
  expect(rig.status(request.worktree)).toBe('');
});

it('F46 the same is kept when the worktree is made again', async () => {
  const request = await stagedIn('p--9');
  rmSync(request.worktree, { recursive: true });
  value(await rig.repositories.ensureWorktree(request));
  expect(rig.stored('refs/orange/salvage/p9/1', 'staged.txt').toString()).toContain('p--9');
  expect(rig.status(request.worktree)).toBe('');
});

it('F46 a merge with conflicts and a commit on no branch are kept with a deleted worktree', async () => {
  const request = order('p--3');
  const { worktree } = request;
  await rig.bind({ worktree, branch: 'b-p--3' });
  rig.commit(worktree, { 'a.txt': 'ours\n' });
  rig.git(worktree, 'checkout', '-q', '--detach', 'main');
  const theirs = rig.commit(worktree, { 'a.txt': 'theirs\n', 'lone.txt': 'lone\n' });
  rig.git(worktree, 'checkout', '-q', 'b-p--3');
  expect(rig.tryGit(worktree, 'merge', '-q', theirs)).toBe(1);
  rmSync(worktree, { recursive: true });
  const { salvageRef } = value(await rig.repositories.forgetVanished(request));
  expect(rig.stored(salvageRef ?? '', 'a.txt').toString()).toBe('ours\n');
  expect(rig.stored(salvageRef ?? '', 'lone.txt').toString()).toBe('lone\n');
  const kept = rig.git(
    rig.repository,
    'for-each-ref',
    `--contains=${theirs}`,
    '--format=%(refname)',
  );
  expect(kept).toBe(salvageRef);
});

it('F40 commits of a submodule go with no worktree, deleted or dropped', async () => {
  const library = join(rig.root, 'library');
  rmSync(library, { recursive: true, force: true });
  mkdirSync(library);
  rig.git(library, 'init', '-q');
  rig.commit(library, { 'lib.txt': 'lib\n' });
  const withModule = async (name: string): Promise<string> => {
    const { worktree } = order(name);
    await rig.bind({ worktree, branch: `b-${name}` });
    rig.git(worktree, 'submodule', '--quiet', 'add', library, 'sub');
    rig.git(worktree, 'commit', '-qm', 'Add a submodule');
    const recorded = rig.head(join(worktree, 'sub'));
    rig.git(join(worktree, 'sub'), 'checkout', '-qb', 'mine');
    const lone = rig.commit(join(worktree, 'sub'), { 'lib.txt': `${name}\n` });
    rig.git(join(worktree, 'sub'), 'checkout', '-q', '--detach', recorded);
    return lone;
  };
  const deleted = await withModule('p--4');
  rmSync(order('p--4').worktree, { recursive: true });
  value(await rig.repositories.forgetVanished(order('p--4')));
  expect(rig.git(rig.repository, 'show', `${deleted}:lib.txt`)).toBe('p--4');
  const dropped = await withModule('p--5');
  value(await rig.repositories.release(order('p--5')));
  value(await rig.repositories.removeWorktree(rig.repository, order('p--5').worktree));
  expect(rig.exists(order('p--5').worktree)).toBe(false);
  for (const commit of [deleted, dropped]) {
    const refs = rig.git(rig.repository, 'for-each-ref', `--contains=${commit}`);
    expect(refs).toContain('refs/orange/nested/');
  }
});

it('F46 a worktree that was moved is never forgotten, until git knows where it is', async () => {
  const request = await stagedIn('p--6');
  const elsewhere = join(rig.root, 'kept by hand');
  renameSync(request.worktree, elsewhere);
  expect(await vanished()).toEqual([
    { path: request.worktree, movedTo: elsewhere, isLocked: false },
  ]);
  const refusal = { kind: 'worktree-unusable', reason: `it was moved to ${elsewhere}` };
  expect(failure(await rig.repositories.forgetVanished(request))).toMatchObject(refusal);
  expect(failure(await rig.repositories.ensureWorktree(request))).toMatchObject(refusal);
  expect(failure(await rig.repositories.rebuild(request))).toMatchObject(refusal);
  rig.git(elsewhere, 'worktree', 'repair');
  expect(rig.status(elsewhere)).toBe('A  staged.txt');
  expect(await vanished()).toEqual([]);
  value(await rig.repositories.ensureWorktree(request));
  expect(rig.status(request.worktree)).toBe('');
});

it('one that somebody locked is not forgotten either', async () => {
  const request = await stagedIn('p--7');
  rig.git(rig.repository, 'worktree', 'lock', '--reason', 'on a stick', request.worktree);
  rmSync(request.worktree, { recursive: true });
  expect(await vanished()).toEqual([{ path: request.worktree, movedTo: null, isLocked: true }]);
  expect(failure(await rig.repositories.forgetVanished(request))).toMatchObject({
    reason: 'it is locked (on a stick)',
  });
  rig.git(rig.repository, 'worktree', 'unlock', request.worktree);
});

it('one that is there again is left alone', async () => {
  const request = await stagedIn('p--8');
  expect(failure(await rig.repositories.forgetVanished(request))).toMatchObject({
    reason: 'it is there again',
  });
  expect(rig.status(request.worktree)).toBe('A  staged.txt');
});

it('F46 a worktree that is moved, locked or an empty folder is released, and git keeps its record', async () => {
  const moved = await stagedIn('p--10');
  const elsewhere = join(rig.root, 'also kept by hand');
  renameSync(moved.worktree, elsewhere);
  const locked = await stagedIn('p--11');
  rig.git(rig.repository, 'worktree', 'lock', '--reason', 'on a stick', locked.worktree);
  rmSync(locked.worktree, { recursive: true });
  const emptied = await stagedIn('p--12');
  rmSync(emptied.worktree, { recursive: true });
  mkdirSync(emptied.worktree);
  for (const request of [moved, locked, emptied]) {
    const { salvageRef } = value(await rig.repositories.release(request));
    expect(rig.stored(salvageRef ?? '', 'staged.txt').toString()).toContain('staged in p--1');
    expect(known(request.worktree)).toBe(true);
  }
  rig.git(rig.repository, 'worktree', 'unlock', locked.worktree);
  rig.git(elsewhere, 'worktree', 'repair');
});
