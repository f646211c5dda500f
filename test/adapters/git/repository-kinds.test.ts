import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GitRig, TASK, value } from './git-rig.js';

let rig: GitRig;

beforeAll(() => {
  rig = new GitRig().withCommit('trunk/of-any-name');
  rig.commit(rig.repository, { '.gitattributes': '*.bin filter=lfs -text\n', 'x.bin': POINTER });
});

afterAll(async () => {
  await rig[Symbol.asyncDispose]();
});

const TRUNK = 'trunk/of-any-name';
const POINTER = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n';

function order(name: string) {
  const worktree = join(rig.root, 'workspaces', name);
  const place = { repository: rig.repository, worktree, defaultBranch: TRUNK, taskId: TASK };
  return { ...place, branch: `b-${name}`, base: null };
}

it('F47 hooks of the repository neither run nor stand in the way, whatever they would do', async () => {
  const canary = join(rig.root, 'canary');
  for (const hook of [
    'post-checkout',
    'pre-commit',
    'reference-transaction',
    'post-index-change',
  ]) {
    const path = join(rig.repository, '.git/hooks', hook);
    rig.write(path, `#!/bin/sh\necho ${hook} >> ${canary}\necho x > hooked.txt\nexit 1\n`);
    chmodSync(path, 0o755);
  }
  const request = order('p--1');
  value(await rig.repositories.bind(request));
  rig.write(join(request.worktree, 'new.txt'), 'new\n');
  const { salvageRef } = value(await rig.repositories.release(request));
  expect(rig.stored(salvageRef ?? '', 'new.txt').toString()).toBe('new\n');
  expect(rig.exists(canary)).toBe(false);
  expect(rig.exists(request.worktree, 'hooked.txt')).toBe(false);
  rig.git(rig.repository, 'config', 'core.hooksPath', '/dev/null');
});

it('pointers of git-lfs stay pointers where it is not there, and changes to them are kept', async () => {
  const request = order('p--2');
  value(await rig.repositories.bind(request));
  expect(rig.read(request.worktree, 'x.bin')).toBe(POINTER);
  expect(rig.status(request.worktree)).toBe('');
  rig.write(join(request.worktree, 'x.bin'), 'the real thing\n');
  const { salvageRef } = value(await rig.repositories.release(request));
  expect(rig.stored(salvageRef ?? '', 'x.bin').toString()).toBe('the real thing\n');
  expect(rig.read(request.worktree, 'x.bin')).toBe(POINTER);
});

it('a filter that the repository names does not run when a worktree is bound and released', async () => {
  const canary = join(rig.root, 'filtered');
  const run = `sh -c 'touch ${canary}; cat'`;
  for (const key of ['smudge', 'clean'])
    rig.git(rig.repository, 'config', `filter.lfs.${key}`, run);
  const request = order('p--3');
  value(await rig.repositories.bind(request));
  rig.write(join(request.worktree, 'x.bin'), 'other\n');
  value(await rig.repositories.release(request));
  expect(rig.exists(canary)).toBe(false);
  expect(rig.read(request.worktree, 'x.bin')).toBe(POINTER);
  rig.git(rig.repository, 'config', '--remove-section', 'filter.lfs');
});

it('F49 a bare repository without a remote, its branch of any name, gives and takes back worktrees', async () => {
  const bare = join(rig.root, 'bare.git');
  rig.git(rig.root, 'clone', '-q', '--bare', rig.repository, bare);
  rig.git(bare, 'remote', 'remove', 'origin');
  const request = { ...order('p--4'), repository: bare };
  value(await rig.repositories.bind(request));
  rig.write(join(request.worktree, 'new.txt'), 'new\n');
  const { salvageRef } = value(await rig.repositories.release(request));
  expect(rig.git(bare, 'show', `${salvageRef}:new.txt`)).toBe('new');
  expect(rig.head(request.worktree)).toBe(rig.head(bare, TRUNK));
  value(await rig.repositories.rebuild(request));
  expect(rig.git(request.worktree, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('HEAD');
  expect(await rig.repositories.findVanished(bare, join(rig.root, 'workspaces'))).toEqual({
    ok: true,
    value: [],
  });
});

it('F40 a rebase that a person left half done in an idle worktree is kept before a task gets it', async () => {
  const request = order('p--5');
  value(await rig.repositories.bind(request));
  rig.commit(request.worktree, { 'a.txt': 'mine\n' });
  const mine = rig.head(request.worktree);
  rig.git(request.worktree, 'checkout', '-q', '--detach', TRUNK);
  rig.commit(request.worktree, { 'a.txt': 'theirs\n' });
  const theirs = rig.head(request.worktree);
  rig.git(request.worktree, 'checkout', '-q', '--detach', mine);
  expect(rig.tryGit(request.worktree, 'rebase', '-q', theirs)).toBe(1);
  value(await rig.repositories.bind({ ...request, branch: 'next' }));
  expect(rig.status(request.worktree)).toBe('');
  expect(rig.git(request.worktree, 'branch', '--show-current')).toBe('next');
  for (const commit of [mine, theirs]) {
    expect(rig.git(rig.repository, 'for-each-ref', `--contains=${commit}`)).not.toBe('');
  }
});
