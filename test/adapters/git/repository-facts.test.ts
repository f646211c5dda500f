import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { failure, GitRig, value } from './git-rig.js';

it('a subdirectory and a worktree lead to the main checkout', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  await rig.bind();
  for (const path of [
    rig.repository,
    join(rig.repository, 'dir'),
    rig.worktree,
    join(rig.worktree, 'dir'),
  ]) {
    expect(value(await rig.repositories.inspect(path))).toEqual({
      root: rig.repository,
      isBare: false,
      defaultBranch: 'main',
      hasCommits: true,
      remote: null,
    });
  }
});

it('a bare repository is its own root', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  const remote = rig.withRemote();
  expect(value(await rig.repositories.inspect(remote))).toMatchObject({
    root: remote,
    isBare: true,
  });
});

it('a repository whose git directory lies elsewhere is named by its checkout', async () => {
  await using rig = new GitRig();
  const checkout = join(rig.root, 'checkout');
  rig.git(rig.root, 'init', '-q', '--separate-git-dir', join(rig.root, 'store'), checkout);
  expect(value(await rig.repositories.inspect(checkout)).root).toBe(checkout);
});

it('F49 a repository without commits says so', async () => {
  await using rig = new GitRig();
  mkdirSync(rig.repository);
  rig.git(rig.repository, 'init', '-q', '-b', 'trunk');
  expect(value(await rig.repositories.inspect(rig.repository))).toMatchObject({
    hasCommits: false,
    defaultBranch: 'trunk',
  });
  const made = await rig.repositories.ensureWorktree(rig.bindRequest({ defaultBranch: 'trunk' }));
  expect(failure(made)).toMatchObject({ kind: 'repository-without-commits' });
});

it('a directory that is no repository, and one that does not exist, are refused by name', async () => {
  await using rig = new GitRig();
  for (const path of [rig.root, join(rig.root, 'nowhere')]) {
    expect(failure(await rig.repositories.inspect(path))).toEqual({
      kind: 'not-a-repository',
      path,
    });
  }
});

it('the default branch is what origin says', async () => {
  await using rig = new GitRig();
  rig.withCommit('develop');
  rig.withRemote('develop');
  rig.git(rig.repository, 'branch', 'main');
  expect(value(await rig.repositories.inspect(rig.repository))).toMatchObject({
    defaultBranch: 'develop',
    remote: 'origin',
  });
});

it('without an origin the default branch is the configured one, then main or master, then the current', async () => {
  await using rig = new GitRig();
  rig.withCommit('work');
  const inspect = async () => value(await rig.repositories.inspect(rig.repository)).defaultBranch;
  expect(await inspect()).toBe('work');
  rig.git(rig.repository, 'branch', 'master');
  expect(await inspect()).toBe('master');
  rig.git(rig.repository, 'branch', 'trunk');
  rig.git(rig.repository, 'config', 'init.defaultBranch', 'trunk');
  expect(await inspect()).toBe('trunk');
});

it('a project directory with spaces, dashes and quotes works from end to end', async () => {
  await using rig = new GitRig(`-my -- "proj' $(x)`);
  rig.withCommit();
  await rig.bind();
  expect(value(await rig.repositories.inspect(rig.worktree)).root).toBe(rig.repository);
  rig.commit(rig.worktree, { 'new.txt': 'x' });
  value(await rig.repositories.merge(rig.mergeRequest()));
  value(await rig.release());
  expect(rig.read(rig.repository, 'new.txt')).toBe('x');
});

it('F52 a missing git and an old git are named', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  const nowhere = rig.createRepositories({ ...rig.env, PATH: join(rig.root, 'none') });
  expect(failure(await nowhere.inspect(rig.repository))).toEqual({
    kind: 'program-missing',
    program: 'git',
  });
  const bin = join(rig.root, 'bin');
  rig.write(join(bin, 'git'), '#!/bin/sh\necho git version 2.30.2\n');
  rig.git(rig.root, 'version');
  const { chmodSync } = await import('node:fs');
  chmodSync(join(bin, 'git'), 0o755);
  const old = rig.createRepositories({ ...rig.env, PATH: `${bin}:${rig.env['PATH']}` });
  expect(failure(await old.inspect(rig.repository))).toEqual({
    kind: 'program-too-old',
    program: 'git',
    version: '2.30.2',
    needs: '2.38',
  });
});
