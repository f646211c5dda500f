import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failure, GitRig, TASK, value } from './git-rig.js';
import { success } from '../../../src/domain/result.js';

let rig: GitRig;

beforeAll(() => {
  rig = new GitRig().withCommit();
});

afterAll(async () => {
  await rig[Symbol.asyncDispose]();
});

function order(name: string, changes: { readonly keepIgnored?: boolean } = {}) {
  const worktree = join(rig.root, 'workspaces', name);
  const { repository } = rig;
  return { repository, worktree, defaultBranch: 'main', taskId: TASK, ...changes };
}

/** A bound worktree of its own. */
async function bound(name: string) {
  const request = order(name);
  await rig.bind({ worktree: request.worktree, branch: `b-${name}` });
  return request;
}

function pool(): readonly string[] {
  return readdirSync(join(rig.root, 'workspaces')).filter((name) => name.startsWith('.'));
}

it('a worktree is made anew, detached on the base, and everything that was in it is kept', async () => {
  const request = await bound('p--1');
  const { worktree } = request;
  rig.commit(worktree, { 'done.txt': 'committed\n' });
  rig.write(join(worktree, 'staged.txt'), 'staged\n');
  rig.git(worktree, 'add', 'staged.txt');
  rig.write(join(worktree, 'new.txt'), 'untracked\n');
  rig.write(join(worktree, 'ignored/big'), 'ignored\n');
  mkdirSync(join(worktree, 'ignored/closed'));
  rig.write(join(worktree, 'ignored/closed/x'), 'x\n');
  chmodSync(join(worktree, 'ignored/closed'), 0o555);
  rig.git(worktree, 'config', 'extensions.worktreeConfig', 'true');
  rig.git(worktree, 'config', '--worktree', 'core.sparseCheckout', 'true');
  const { salvageRef } = value(await rig.repositories.rebuild(request));
  expect(rig.stored(salvageRef ?? '', 'staged.txt').toString()).toBe('staged\n');
  expect(rig.stored(salvageRef ?? '', 'new.txt').toString()).toBe('untracked\n');
  expect(rig.git(rig.repository, 'show', 'b-p--1:done.txt')).toBe('committed');
  expect(rig.status(worktree)).toBe('');
  expect(rig.git(worktree, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('HEAD');
  expect(rig.head(worktree)).toBe(rig.head(rig.repository, 'main'));
  expect(readdirSync(worktree).toSorted()).toEqual(['.git', '.gitignore', 'a.txt', 'dir']);
  expect(rig.tryGit(worktree, 'config', 'core.sparseCheckout')).toBe(1);
  expect(pool()).toEqual([]);
  rig.git(rig.repository, 'config', '--unset', 'extensions.worktreeConfig');
});

it('F41 one that somebody works in, or has locked, stays as it is', async () => {
  const request = await bound('p--2');
  rig.write(join(request.worktree, 'new.txt'), 'untracked\n');
  rig.git(rig.repository, 'worktree', 'lock', '--reason', 'mine', request.worktree);
  expect(failure(await rig.repositories.rebuild(request))).toMatchObject({
    reason: 'it is locked (mine)',
  });
  rig.git(rig.repository, 'worktree', 'unlock', request.worktree);
  const guarded = rig.createRepositories(rig.env, () => success([{ pid: 7, command: 'vi' }]));
  expect(failure(await guarded.rebuild(request)).kind).toBe('worktree-occupied');
  expect(rig.read(request.worktree, 'new.txt')).toBe('untracked\n');
  expect(pool()).toEqual([]);
});

it('F40 what cannot be saved is not taken away', async () => {
  const request = await bound('p--3');
  rig.write(join(request.worktree, 'new.txt'), 'untracked\n');
  const broken = await rig.repositories.rebuild({ ...request, taskId: 'no such id' });
  expect(failure(broken).kind).toBe('invalid-argument');
  expect(rig.read(request.worktree, 'new.txt')).toBe('untracked\n');
  expect(pool()).toEqual([]);
});

it('a release that is to leave nothing that git ignores clears submodules too', async () => {
  const library = join(rig.root, 'library');
  mkdirSync(library);
  rig.git(library, 'init', '-q');
  rig.commit(library, { 'lib.txt': 'lib\n', '.gitignore': 'cache/\n' });
  const request = { ...(await bound('p--4')), keepIgnored: false };
  const { worktree } = request;
  rig.git(worktree, 'submodule', '--quiet', 'add', library, 'sub');
  rig.git(worktree, 'commit', '-qm', 'Add a submodule');
  rig.git(rig.repository, 'update-ref', 'refs/heads/main', rig.head(worktree));
  rig.git(rig.repository, 'reset', '-q', '--hard');
  rig.write(join(worktree, 'ignored/x'), 'x\n');
  rig.write(join(worktree, 'sub/cache/x'), 'x\n');
  value(await rig.repositories.release(request));
  expect(rig.exists(worktree, 'ignored')).toBe(false);
  expect(rig.exists(worktree, 'sub/cache')).toBe(false);
  expect(rig.exists(worktree, 'sub/lib.txt')).toBe(true);
});

it('a worktree in which something is left is not released, whatever git says', async () => {
  const request = await bound('p--5');
  rig.write(join(request.worktree, 'ignored/x'), 'x\n');
  const lazy = rig.createRepositories(rig.withGitLike('case " $* " in *" clean "*) exit 0;; esac'));
  expect(failure(await lazy.release({ ...request, keepIgnored: false }))).toMatchObject({
    kind: 'worktree-unusable',
    reason: 'ignored/ is still there, which git ignores',
  });
  rig.write(join(request.worktree, 'new.txt'), 'new\n');
  expect(failure(await lazy.release(request))).toMatchObject({ reason: 'it is not clean' });
  const { salvageRef } = value(await lazy.rebuild(request));
  expect(rig.stored(salvageRef ?? '', 'new.txt').toString()).toBe('new\n');
  expect(rig.exists(request.worktree, 'new.txt')).toBe(false);
});
