import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { failure, GitRig, TASK, value } from './git-rig.js';

const SALVAGE = `refs/orange/salvage/${TASK}`;

async function bound(): Promise<GitRig> {
  const rig = new GitRig();
  rig.withCommit();
  await rig.bind();
  return rig;
}

async function releaseAndSee(rig: GitRig): Promise<string> {
  const { salvageRef } = value(await rig.release());
  expect(rig.status(rig.worktree)).toBe('');
  expect(rig.git(rig.worktree, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('HEAD');
  expect(rig.head(rig.worktree)).toBe(rig.head(rig.repository, 'main'));
  expect(rig.exists(rig.worktree, 'TASK.md')).toBe(false);
  return salvageRef ?? '';
}

it('a clean worktree is released without a salvage ref, and its branch stays where it was', async () => {
  await using rig = await bound();
  const tip = rig.commit(rig.worktree, { n: '1' });
  expect(await releaseAndSee(rig)).toBe('');
  expect(await releaseAndSee(rig)).toBe('');
  expect(rig.head(rig.repository, 'refs/heads/feat')).toBe(tip);
});

it('F40 uncommitted, staged and untracked work is kept byte for byte, with HEAD and index as parents', async () => {
  await using rig = await bound();
  const head = rig.commit(rig.worktree, { 'c.txt': 'c\n' });
  const bytes = Buffer.from([0, 255, 13, 10, 10, 13, 128]);
  rig.write(join(rig.worktree, 'a.txt'), 'staged\n');
  rig.git(rig.worktree, 'add', 'a.txt');
  rig.write(join(rig.worktree, 'a.txt'), 'unstaged\r\n');
  rig.write(join(rig.worktree, 'deep/er/new "file"\n\\ä'), bytes);
  rig.write(join(rig.worktree, 'run.sh'), '#!/bin/sh\n');
  chmodSync(join(rig.worktree, 'run.sh'), 0o755);
  symlinkSync('nowhere', join(rig.worktree, 'link'));
  rmSync(join(rig.worktree, 'dir/b.txt'));
  const ref = await releaseAndSee(rig);
  expect(ref).toBe(`${SALVAGE}/1`);
  expect(rig.stored(ref, 'a.txt').toString()).toBe('unstaged\r\n');
  expect(rig.stored(`${ref}^2`, 'a.txt').toString()).toBe('staged\n');
  expect(rig.stored(ref, 'deep/er/new "file"\n\\ä')).toEqual(bytes);
  expect(rig.head(rig.repository, `${ref}^1`)).toBe(head);
  expect(rig.tryGit(rig.repository, 'cat-file', '-e', `${ref}:dir/b.txt`)).not.toBe(0);
  expect(rig.tryGit(rig.repository, 'cat-file', '-e', `${ref}:TASK.md`)).not.toBe(0);
  const back = join(rig.root, 'back');
  rig.git(rig.repository, 'worktree', 'add', '-q', '--detach', back, ref);
  expect(lstatSync(join(back, 'run.sh')).mode & 0o111).not.toBe(0);
  expect(readlinkSync(join(back, 'link'))).toBe('nowhere');
});

it('line ends and filters do not change what is kept', async () => {
  await using rig = await bound();
  rig.commit(rig.worktree, { '.gitattributes': '* text=auto\n*.id ident\n' });
  rig.write(join(rig.worktree, 'a.txt'), 'one\r\ntwo\r\n');
  rig.write(join(rig.worktree, 'x.id'), '$Id: abc $\r\n');
  const ref = await releaseAndSee(rig);
  expect(rig.stored(ref, 'a.txt').toString()).toBe('one\r\ntwo\r\n');
  expect(rig.stored(ref, 'x.id').toString()).toBe('$Id: abc $\r\n');
});

it('the same work is kept once, new work gets the next number', async () => {
  await using rig = await bound();
  rig.write(join(rig.worktree, 'a.txt'), 'work\n');
  await releaseAndSee(rig);
  await rig.bind();
  rig.write(join(rig.worktree, 'a.txt'), 'work\n');
  expect(await releaseAndSee(rig)).toBe(`${SALVAGE}/1`);
  await rig.bind();
  rig.write(join(rig.worktree, 'a.txt'), 'other\n');
  expect(await releaseAndSee(rig)).toBe(`${SALVAGE}/2`);
  expect(rig.salvageRefs()).toEqual([`${SALVAGE}/1`, `${SALVAGE}/2`]);
});

it('F40 ignored files stay where they are', async () => {
  await using rig = await bound();
  rig.write(join(rig.worktree, '.env'), 'SECRET=1');
  rig.write(join(rig.worktree, 'ignored/node.js'), 'x');
  expect(await releaseAndSee(rig)).toBe('');
  expect(rig.read(rig.worktree, '.env')).toBe('SECRET=1');
  expect(rig.read(rig.worktree, 'ignored/node.js')).toBe('x');
});

it('files that only the branch ignored are kept before they are cleaned', async () => {
  await using rig = await bound();
  rig.commit(rig.worktree, { '.gitignore': 'ignored/\n.env\nout/\n' });
  rig.write(join(rig.worktree, 'out/result'), 'precious');
  const ref = await releaseAndSee(rig);
  expect(rig.stored(ref, 'out/result').toString()).toBe('precious');
});

it('F40 a stash stays in the repository', async () => {
  await using rig = await bound();
  rig.write(join(rig.worktree, 'a.txt'), 'stashed\n');
  rig.git(rig.worktree, 'stash', '-q');
  expect(await releaseAndSee(rig)).toBe('');
  expect(rig.stored('refs/stash', 'a.txt').toString()).toBe('stashed\n');
});

it('F40 commits on no branch are kept', async () => {
  await using rig = await bound();
  rig.git(rig.worktree, 'checkout', '-q', '--detach');
  const stray = rig.commit(rig.worktree, { n: '1' });
  const ref = await releaseAndSee(rig);
  expect(rig.head(rig.repository, `${ref}^1`)).toBe(stray);
});

it('work on a branch without commits is kept', async () => {
  await using rig = await bound();
  rig.git(rig.worktree, 'checkout', '-q', '--orphan', 'fresh');
  rig.write(join(rig.worktree, 'new'), 'x');
  const ref = await releaseAndSee(rig);
  expect(rig.stored(ref, 'new').toString()).toBe('x');
});

it('files hidden from git by a flag are kept', async () => {
  await using rig = await bound();
  rig.git(rig.worktree, 'update-index', '--assume-unchanged', 'a.txt');
  rig.git(rig.worktree, 'update-index', '--skip-worktree', 'dir/b.txt');
  rig.write(join(rig.worktree, 'a.txt'), 'hidden\n');
  rig.write(join(rig.worktree, 'dir/b.txt'), 'hidden too\n');
  const ref = await releaseAndSee(rig);
  expect(rig.stored(ref, 'a.txt').toString()).toBe('hidden\n');
  expect(rig.stored(ref, 'dir/b.txt').toString()).toBe('hidden too\n');
  expect(rig.read(rig.worktree, 'a.txt')).toBe('one\n');
});

it('F40 repositories inside the worktree are kept with files, ignored files and commits', async () => {
  await using rig = await bound();
  const nested = join(rig.worktree, 'vendor/lib');
  mkdirSync(nested, { recursive: true });
  rig.git(nested, 'init', '-q');
  const inner = rig.commit(nested, { 'in.txt': 'in\n', '.gitignore': 'build/\n' });
  rig.write(join(nested, 'build/out'), 'built');
  rig.write(join(nested, 'in.txt'), 'changed\n');
  rig.git(nested, 'init', '-q', 'deeper');
  rig.write(join(nested, 'deeper/d.txt'), 'deep');
  rig.git(rig.worktree, 'init', '-q', 'empty-one');
  rig.write(join(rig.worktree, 'empty-one/e.txt'), 'e');
  const ref = await releaseAndSee(rig);
  expect(rig.stored(ref, 'vendor/lib/in.txt').toString()).toBe('changed\n');
  expect(rig.stored(ref, 'vendor/lib/build/out').toString()).toBe('built');
  expect(rig.stored(ref, 'vendor/lib/deeper/d.txt').toString()).toBe('deep');
  expect(rig.stored(ref, 'empty-one/e.txt').toString()).toBe('e');
  expect(
    rig.git(rig.repository, 'for-each-ref', '--contains', inner, 'refs/orange/nested'),
  ).not.toBe('');
  expect(rig.exists(nested)).toBe(false);
});

it('a repository that was added as a link to its commit is kept too', async () => {
  await using rig = await bound();
  const nested = join(rig.worktree, 'lib');
  rig.git(rig.worktree, 'init', '-q', 'lib');
  const inner = rig.commit(nested, { 'in.txt': 'in\n' });
  rig.git(rig.worktree, 'add', 'lib');
  rig.write(join(nested, 'in.txt'), 'changed\n');
  const ref = await releaseAndSee(rig);
  expect(rig.stored(ref, 'lib/in.txt').toString()).toBe('changed\n');
  expect(
    rig.git(rig.repository, 'for-each-ref', '--contains', inner, 'refs/orange/nested'),
  ).not.toBe('');
});

it('a submodule follows its base to a commit that it has to fetch', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  const library = join(rig.root, 'library');
  rig.git(rig.root, 'init', '-q', library);
  rig.commit(library, { 'l.txt': 'l\n' });
  rig.git(rig.repository, 'submodule', '--quiet', 'add', library, 'sub');
  rig.git(rig.repository, 'commit', '-qm', 'add submodule');
  await rig.bind();
  rig.git(rig.worktree, 'submodule', '--quiet', 'update', '--init');
  rig.commit(library, { 'l.txt': 'newer\n' });
  rig.git(join(rig.repository, 'sub'), 'pull', '-q');
  rig.git(rig.repository, 'commit', '-qam', 'newer submodule');
  expect(await releaseAndSee(rig)).toBe('');
  expect(rig.read(rig.worktree, 'sub/l.txt')).toBe('newer\n');
});

it('F40 a dirty submodule is kept and reset', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  const library = join(rig.root, 'library');
  rig.git(rig.root, 'init', '-q', library);
  rig.commit(library, { 'l.txt': 'l\n' });
  rig.git(rig.repository, 'submodule', '--quiet', 'add', library, 'sub');
  rig.git(rig.repository, 'commit', '-qm', 'add submodule');
  await rig.bind();
  rig.git(rig.worktree, 'submodule', '--quiet', 'update', '--init');
  const sub = join(rig.worktree, 'sub');
  const inner = rig.commit(sub, { 'm.txt': 'm\n' });
  rig.write(join(sub, 'l.txt'), 'changed\n');
  rig.write(join(sub, 'n.txt'), 'new\n');
  expect(failure(await rig.repositories.merge(rig.mergeRequest()))).toMatchObject({
    reason: 'uncommitted-work',
  });
  const ref = await releaseAndSee(rig);
  expect(rig.stored(ref, 'sub/l.txt').toString()).toBe('changed\n');
  expect(rig.stored(ref, 'sub/n.txt').toString()).toBe('new\n');
  expect(
    rig.git(rig.repository, 'for-each-ref', '--contains', inner, 'refs/orange/nested'),
  ).not.toBe('');
  expect(rig.status(sub)).toBe('');
  expect(rig.salvageRefs()).toHaveLength(1);
  await rig.bind({ branch: 'next' });
  rig.commit(rig.worktree, { n: '1' });
  value(await rig.repositories.merge(rig.mergeRequest({ branch: 'next' })));
  await releaseAndSee(rig);
  value(await rig.repositories.removeWorktree(rig.repository, rig.worktree));
});

const OPERATIONS: readonly (readonly [string, (rig: GitRig) => void])[] = [
  ['merge', (rig) => void rig.tryGit(rig.worktree, 'merge', 'main')],
  ['rebase', (rig) => void rig.tryGit(rig.worktree, 'rebase', 'main')],
  ['cherry-pick', (rig) => void rig.tryGit(rig.worktree, 'cherry-pick', 'main')],
  ['revert', (rig) => void rig.tryGit(rig.worktree, 'revert', '--no-edit', 'HEAD~1')],
  [
    'am',
    (rig) => {
      rig.write(
        join(rig.root, 'p'),
        `${rig.git(rig.repository, 'format-patch', '-1', '--stdout', 'main')}\n`,
      );
      rig.tryGit(rig.worktree, 'am', '-3', join(rig.root, 'p'));
    },
  ],
  ['bisect', (rig) => void rig.git(rig.worktree, 'bisect', 'start', 'HEAD', 'HEAD~1')],
];

it.each(OPERATIONS)('F40 a %s under way is kept and ended', async (_name, begin) => {
  await using rig = await bound();
  rig.commit(rig.worktree, { 'a.txt': 'theirs 1\n' });
  const tip = rig.commit(rig.worktree, { 'a.txt': 'theirs 2\n' });
  rig.commit(rig.repository, { 'a.txt': 'ours\n' });
  begin(rig);
  rig.write(join(rig.worktree, 'a.txt'), 'half resolved\n');
  const ref = await releaseAndSee(rig);
  expect(rig.stored(ref, 'a.txt').toString()).toBe('half resolved\n');
  expect(rig.head(rig.repository, 'refs/heads/feat')).toBe(tip);
  expect(rig.git(rig.worktree, 'status')).not.toMatch(
    /rebas|merg|cherry|revert|bisect|am session/i,
  );
  await rig.bind();
  expect(rig.read(rig.worktree, 'a.txt')).toBe('theirs 2\n');
});

it('a TASK.md that an agent turned into a file of its own is kept and removed', async () => {
  await using rig = await bound();
  unlinkSync(join(rig.worktree, 'TASK.md'));
  rig.write(join(rig.worktree, 'TASK.md'), 'the only copy');
  const ref = await releaseAndSee(rig);
  expect(rig.stored(ref, 'TASK.md').toString()).toBe('the only copy');
  expect(rig.read(rig.root, 'tasks', TASK, 'TASK.md')).toContain('id: x');
});

it('F40 a broken index loses nothing', async () => {
  await using rig = await bound();
  rig.write(join(rig.worktree, 'a.txt'), 'work\n');
  rig.write(join(rig.repository, '.git/worktrees/project--1/index'), 'garbage');
  const released = await rig.release();
  expect(failure(released)).toMatchObject({
    kind: 'worktree-unusable',
    reason: 'its index is damaged',
  });
  expect(rig.read(rig.worktree, 'a.txt')).toBe('work\n');
});

it('a shallow clone inside the worktree is kept with its whole store', async () => {
  await using rig = await bound();
  const remote = rig.withRemote();
  rig.commit(rig.repository, { c: '1' });
  rig.git(rig.repository, 'push', '-q', 'origin', 'main');
  rig.git(rig.worktree, 'clone', '-q', '--depth=1', `file://${remote}`, 'lib');
  const inner = rig.commit(join(rig.worktree, 'lib'), { mine: 'm\n' });
  const ref = await releaseAndSee(rig);
  expect(rig.stored(ref, 'lib/mine').toString()).toBe('m\n');
  const back = join(rig.root, 'back');
  rig.git(rig.repository, 'worktree', 'add', '-q', '--detach', back, ref);
  const store = join(back, 'lib/.git-kept-by-orange');
  expect(rig.git(rig.root, '--git-dir', store, 'log', '--format=%H', '-1')).toBe(inner);
});

it('F40 what cannot be saved is not cleaned away', async () => {
  await using rig = await bound();
  rig.write(join(rig.worktree, 'a.txt'), 'work\n');
  rig.write(join(rig.repository, `.git/${SALVAGE}/1.lock`), '');
  expect((await rig.release()).ok).toBe(false);
  expect(rig.read(rig.worktree, 'a.txt')).toBe('work\n');
  expect(rig.git(rig.worktree, 'branch', '--show-current')).toBe('feat');
});

it('a person without a name can have work kept', async () => {
  await using rig = await bound();
  rig.write(join(rig.root, 'home/.gitconfig'), '[user]\n\tuseConfigOnly = true\n');
  rig.write(join(rig.worktree, 'a.txt'), 'work\n');
  const ref = await releaseAndSee(rig);
  expect(rig.git(rig.repository, 'log', '-1', '--format=%an <%ae>', ref)).toBe(
    'orange <orange@localhost>',
  );
});

it('binding a worktree that somebody left in a mess keeps the mess first', async () => {
  await using rig = await bound();
  rig.write(join(rig.worktree, 'a.txt'), 'mess\n');
  await rig.bind({ branch: 'next' });
  expect(rig.read(rig.worktree, 'a.txt')).toBe('one\n');
  expect(rig.stored(`${SALVAGE}/1`, 'a.txt').toString()).toBe('mess\n');
});
