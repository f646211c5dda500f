import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failure, GitRig, TASK, value } from './git-rig.js';

let rig: GitRig;

beforeAll(() => {
  rig = new GitRig().withCommit();
});

afterAll(async () => {
  await rig[Symbol.asyncDispose]();
});

/** A bound worktree with work in it, whose `.git` somebody removed. */
async function pointerless(name: string) {
  const worktree = join(rig.root, 'workspaces', name);
  await rig.bind({ worktree, branch: `b-${name}` });
  rig.write(join(worktree, 'work.txt'), `work of ${name}\n`);
  rmSync(join(worktree, '.git'));
  return { repository: rig.repository, worktree, defaultBranch: 'main', taskId: TASK };
}

it('F46 the work in a worktree that lacks its .git is saved when it is released', async () => {
  const request = await pointerless('p--1');
  const { salvageRef } = value(await rig.repositories.release(request));
  expect(rig.stored(salvageRef ?? '', 'work.txt').toString()).toBe('work of p--1\n');
  expect(rig.status(request.worktree)).toBe('');
  expect(rig.git(request.worktree, 'branch', '--show-current')).toBe('');
});

it('F46 the same is saved when another task gets the worktree', async () => {
  const request = await pointerless('p--2');
  const { worktree } = request;
  await rig.bind({ worktree, branch: 'b-next', isFirst: true });
  expect(rig.status(worktree)).toBe('');
  const kept = rig.salvageRefs().map((ref) => rig.git(rig.repository, 'show', `${ref}:work.txt`));
  expect(kept).toContain('work of p--2');
});

it('F46 that the .git is missing is told, and changes nothing', async () => {
  const request = await pointerless('p--3');
  const looked = await rig.repositories.inspectWorktree({ ...request, depth: 'branch' });
  expect(failure(looked)).toMatchObject({ reason: 'its .git is missing', isRecoverable: true });
  expect(rig.exists(request.worktree, '.git')).toBe(false);
  rig.git(rig.repository, 'worktree', 'repair');
  expect(rig.status(request.worktree)).toBe('?? work.txt');
});

it('F46 nothing is put into a folder that took the place of a worktree that was moved', async () => {
  const request = await pointerless('p--4');
  rig.git(rig.repository, 'worktree', 'repair');
  renameSync(request.worktree, join(rig.root, 'moved by hand'));
  rig.write(join(request.worktree, 'mine.txt'), 'mine\n');
  expect(failure(await rig.repositories.release(request))).toMatchObject({
    kind: 'worktree-unusable',
    reason: 'it is not a worktree',
  });
  expect(rig.exists(request.worktree, '.git')).toBe(false);
  expect(rig.read(request.worktree, 'mine.txt')).toBe('mine\n');
});

it('F46 a worktree of another repository is not made one of this', async () => {
  const request = await pointerless('p--5');
  rig.git(request.worktree, 'init', '-q');
  expect(failure(await rig.repositories.verifyWorktree(request))).toMatchObject({
    kind: 'worktree-unusable',
    reason: expect.stringContaining('it belongs to another repository'),
  });
});

it('a home that is reached over a link has its worktrees, with and without their .git', async () => {
  const request = await pointerless('p--6');
  const way = join(rig.root, 'way');
  symlinkSync(join(rig.root, 'workspaces'), way);
  const place = { ...request, worktree: join(way, 'p--6') };
  expect(value(await rig.repositories.verifyWorktree(place))).toBe('there');
  expect(value(await rig.repositories.verifyWorktree(place))).toBe('there');
  expect(rig.status(request.worktree)).toBe('?? work.txt');
});

it('where nothing is, or only an empty folder, there is no worktree', async () => {
  const worktree = join(rig.root, 'workspaces', 'p--7');
  const place = { repository: rig.repository, worktree };
  expect(value(await rig.repositories.verifyWorktree(place))).toBe('absent');
  mkdirSync(worktree);
  expect(value(await rig.repositories.verifyWorktree(place))).toBe('absent');
});
