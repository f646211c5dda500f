import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RestorePlace } from '../../../src/domain/salvage.js';
import { failure, GitRig, TASK, value } from './git-rig.js';
import { takePicture, type Picture } from './picture.js';

const FIRST = `refs/orange/salvage/${TASK}/1`;

async function bound(): Promise<GitRig> {
  const rig = new GitRig();
  rig.withCommit();
  await rig.bind();
  return rig;
}

function restore(rig: GitRig, place: RestorePlace, ref = FIRST) {
  return rig.repositories.salvage.restore({ repository: rig.repository, ref, place });
}

function elsewhere(rig: GitRig, branch: string | null = null): RestorePlace & { path: string } {
  return { kind: 'new-worktree', path: join(rig.root, 'back'), branch };
}

/** Commits, staged, unstaged, deleted and untracked work with everything that is hard to keep. */
function leaveWork(rig: GitRig): Picture {
  const at = (path: string) => join(rig.worktree, path);
  rig.commit(rig.worktree, { 'c.txt': 'committed\n', 'moved.txt': 'moves\n' });
  rig.write(at('a.txt'), 'staged\n');
  rig.write(at('new-staged.txt'), 'staged and new\n');
  rig.git(rig.worktree, 'add', 'a.txt', 'new-staged.txt');
  rig.git(rig.worktree, 'mv', 'moved.txt', 'dir/moved.txt');
  rig.write(at('a.txt'), 'unstaged\r\n');
  rig.write(at('c.txt'), 'changed without newline');
  rmSync(at('dir/b.txt'));
  rig.write(at('binary'), Buffer.from([0, 255, 13, 10, 10, 13, 128, 0]));
  rig.write(at('deep/er/odd "name"\n\\ä -x'), 'odd\n');
  rig.write(at('empty'), '');
  rig.write(at('run.sh'), '#!/bin/sh\n');
  chmodSync(at('run.sh'), 0o755);
  chmodSync(at('c.txt'), 0o755);
  symlinkSync('nowhere/at all', at('dangling'));
  symlinkSync('dir', at('to-directory'));
  return takePicture(rig, rig.worktree);
}

it('F40 commits, staged, unstaged and untracked work come back byte for byte in a new worktree', async () => {
  await using rig = await bound();
  const before = leaveWork(rig);
  expect(value(await rig.release()).salvageRef).toBe(FIRST);
  const place = elsewhere(rig, 'feat');
  expect(value(await restore(rig, place))).toEqual({
    ref: FIRST,
    path: place.path,
    branch: 'feat',
    head: before.head,
  });
  expect(takePicture(rig, place.path)).toEqual(before);
  expect(rig.git(place.path, 'branch', '--show-current')).toBe('feat');
  expect(rig.salvageRefs()).toEqual([FIRST]);
});

it('F40 the same comes back in the worktree that the task has again', async () => {
  await using rig = await bound();
  const before = leaveWork(rig);
  value(await rig.release());
  await rig.bind();
  const place = { kind: 'worktree', path: rig.worktree } as const;
  expect(value(await restore(rig, place))).toMatchObject({ branch: 'feat', head: before.head });
  expect(takePicture(rig, rig.worktree)).toEqual(before);
  expect(rig.exists(rig.worktree, 'TASK.md')).toBe(true);
});

it('F40 everything comes back as one commit on a new branch, and no file is touched', async () => {
  await using rig = await bound();
  const before = leaveWork(rig);
  value(await rig.release());
  const made = value(await restore(rig, { kind: 'branch', branch: 'rescued' }));
  expect(made).toMatchObject({ path: null, branch: 'rescued' });
  expect(rig.head(rig.repository, 'rescued^')).toBe(before.head);
  const back = join(rig.root, 'back');
  rig.git(rig.repository, 'worktree', 'add', '-q', back, 'rescued');
  expect(takePicture(rig, back).files).toEqual(before.files);
});

it('F40 line ends and filters change nothing on the way back', async () => {
  await using rig = await bound();
  rig.commit(rig.worktree, { '.gitattributes': '*.txt text eol=crlf\n*.id ident\n' });
  rig.write(join(rig.worktree, 'a.txt'), 'one\ntwo\r\nthree');
  rig.write(join(rig.worktree, 'new.txt'), 'unix\n');
  rig.write(join(rig.worktree, 'x.id'), '$Id$ and $Id: abc $\n');
  chmodSync(join(rig.worktree, 'new.txt'), 0o755);
  rig.write(join(rig.repository, '.git/info/attributes'), '* text eol=crlf\n');
  const before = takePicture(rig, rig.worktree);
  value(await rig.release());
  const place = elsewhere(rig);
  value(await restore(rig, place));
  const after = takePicture(rig, place.path);
  expect(after.files['a.txt']).toBe(before.files['a.txt']);
  expect(after.files['new.txt']).toBe(before.files['new.txt']);
  expect(after.files['x.id']).toBe(before.files['x.id']);
  expect(Object.keys(after.files)).toEqual(Object.keys(before.files));
});

type Dirt = readonly [string, (rig: GitRig) => void];
const DIRT: readonly Dirt[] = [
  [
    'other kinds than before, and an intent to add',
    (rig) => {
      rmSync(join(rig.worktree, 'a.txt'));
      symlinkSync('dir', join(rig.worktree, 'a.txt'));
      rmSync(join(rig.worktree, 'dir'), { recursive: true });
      rig.write(join(rig.worktree, 'dir'), 'x');
      rig.write(join(rig.worktree, 'n'), 'x');
      rig.git(rig.worktree, 'add', '-N', 'n');
    },
  ],
  [
    'commits on no branch and a repository inside',
    (rig) => {
      rig.git(rig.worktree, 'checkout', '-q', '--detach');
      rig.commit(rig.worktree, { n: '1' });
      mkdirSync(join(rig.worktree, 'lib'));
      rig.git(join(rig.worktree, 'lib'), 'init', '-q');
      rig.commit(join(rig.worktree, 'lib'), { 'in.txt': 'in\n', '.gitignore': 'out\n' });
      rig.write(join(rig.worktree, 'lib/out'), 'built');
    },
  ],
  [
    'a merge under way',
    (rig) => {
      rig.commit(rig.worktree, { 'a.txt': 'mine\n' });
      rig.commit(rig.repository, { 'a.txt': 'theirs\n' });
      rig.tryGit(rig.worktree, 'merge', 'main');
    },
  ],
];

it.each(DIRT)('F40 files with %s come back', async (_, soil) => {
  await using rig = await bound();
  soil(rig);
  const before = takePicture(rig, rig.worktree);
  expect(value(await rig.release()).salvageRef).toBe(FIRST);
  const place = elsewhere(rig);
  value(await restore(rig, place));
  const after = takePicture(rig, place.path);
  expect(after.files).toEqual(before.files);
  expect(after.head).toBe(before.head);
});

it('F40 a branch that was deleted after its commits were kept is made again', async () => {
  await using rig = await bound();
  const head = rig.commit(rig.worktree, { n: '1' });
  rig.write(join(rig.worktree, 'a.txt'), 'work\n');
  value(await rig.release());
  rig.git(rig.repository, 'branch', '-D', 'feat');
  const place = elsewhere(rig, 'feat');
  expect(value(await restore(rig, place))).toMatchObject({ branch: 'feat', head });
  expect(rig.head(rig.repository, 'refs/heads/feat')).toBe(head);
  // One that is in use is left alone.
  const second = { ...place, path: join(rig.root, 'second') };
  expect(value(await restore(rig, second)).branch).toBeNull();
});

it('work on a branch without commits comes back', async () => {
  await using rig = await bound();
  rig.git(rig.worktree, 'checkout', '-q', '--orphan', 'fresh');
  rig.write(join(rig.worktree, 'new'), 'x');
  const index = rig.git(rig.worktree, 'ls-files', '--stage');
  value(await rig.release());
  const place = elsewhere(rig);
  value(await restore(rig, place));
  expect(rig.read(place.path, 'new')).toBe('x');
  expect(rig.git(place.path, 'ls-files', '--stage')).toBe(index);
});

it('F40 a place where something could be lost is refused, and stays as it is', async () => {
  await using rig = await bound();
  rig.write(join(rig.worktree, 'a.txt'), 'saved\n');
  rig.write(join(rig.worktree, 'build/new'), 'saved\n');
  value(await rig.release());
  await rig.bind();
  const own = { kind: 'worktree', path: rig.worktree } as const;
  const refused = async (place: RestorePlace, reason: string): Promise<void> => {
    const before = takePicture(rig, rig.worktree);
    expect(failure(await restore(rig, place))).toMatchObject({ kind: 'restore-refused', reason });
    expect(takePicture(rig, rig.worktree)).toEqual(before);
  };
  rig.write(join(elsewhere(rig).path, 'mine'), 'precious');
  await refused(elsewhere(rig), 'place-taken');
  expect(rig.read(elsewhere(rig).path, 'mine')).toBe('precious');
  await refused({ kind: 'branch', branch: 'main' }, 'branch-exists');
  rig.write(join(rig.repository, '.git/info/exclude'), 'build\nTASK.md\n');
  for (const path of ['build/new', 'build']) {
    rmSync(join(rig.worktree, 'build'), { recursive: true, force: true });
    rig.write(join(rig.worktree, path), 'ignored, but mine\n');
    await refused(own, 'in-the-way');
  }
  rig.write(join(rig.worktree, 'x'), 'mine\n');
  await refused(own, 'not-clean');
  rig.commit(rig.worktree, { x: 'mine\n' });
  await refused(own, 'other-commit');
  const main = await restore(rig, { kind: 'worktree', path: rig.repository });
  expect(failure(main)).toMatchObject({ kind: 'worktree-unusable' });
  for (const ref of ['refs/heads/main', 'HEAD', `${TASK}/7`, '--all']) {
    expect(failure(await restore(rig, elsewhere(rig), ref))).toMatchObject({ kind: 'not-found' });
  }
});

describe('the list of what was kept', () => {
  it('has work and stray commits, dropped ones too, and shows what is in them', async () => {
    await using rig = await bound();
    const { salvage } = rig.repositories;
    const { repository } = rig;
    rig.write(join(rig.worktree, 'a.txt'), 'work\n');
    value(await rig.release());
    const [entry] = value(await salvage.list(repository));
    expect(entry).toMatchObject({ ref: FIRST, task_id: TASK, number: 1, kind: 'work' });
    expect(entry?.head).toBe(rig.head(repository, 'feat'));
    expect(Number.isNaN(Date.parse(entry?.saved_at ?? ''))).toBe(false);
    const about = { repository, ref: `${TASK}/1` };
    expect(value(await salvage.show({ ...about, form: 'stat' }))).toContain('a.txt');
    expect(value(await salvage.show({ ...about, form: 'full' }))).toContain('+work');
    const dropped = value(await salvage.drop(about));
    expect(dropped).toMatchObject({ ref: `refs/orange/dropped/${TASK}/1`, kind: 'work' });
    expect(dropped.dropped_at).not.toBeNull();
    expect(value(await salvage.list(repository))).toEqual([dropped]);
  });

  it('a dropped one can be restored, its number is not used again, until it is removed', async () => {
    await using rig = await bound();
    const { salvage } = rig.repositories;
    const { repository } = rig;
    rig.write(join(rig.worktree, 'a.txt'), 'work\n');
    value(await rig.release());
    const entry = value(await salvage.drop({ repository, ref: FIRST }));
    expect(value(await restore(rig, elsewhere(rig), entry.ref)).path).not.toBeNull();
    await rig.bind();
    rig.write(join(rig.worktree, 'a.txt'), 'work\n');
    expect(value(await rig.release()).salvageRef).toBe(`refs/orange/salvage/${TASK}/2`);
    value(await salvage.remove({ repository, entry }));
    expect(value(await salvage.list(repository)).map(({ number }) => number)).toEqual([2]);
  });

  it('F40 a commit that only a dropped one leads to is kept anew', async () => {
    await using rig = await bound();
    rig.git(rig.worktree, 'checkout', '-q', '--detach');
    const stray = rig.commit(rig.worktree, { n: '1' });
    value(await rig.release());
    value(await rig.repositories.salvage.drop({ repository: rig.repository, ref: FIRST }));
    rig.git(rig.worktree, 'checkout', '-q', stray);
    const { salvageRef } = value(await rig.release());
    expect(rig.head(rig.repository, `${salvageRef}^1`)).toBe(stray);
  });
});
