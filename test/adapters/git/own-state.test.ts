import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GitRig, TASK, value } from './git-rig.js';
import { success } from '../../../src/domain/result.js';

/** What steers git in one worktree and nowhere else; each is what a task may leave behind. */
const STEERED: Readonly<Record<string, (rig: GitRig) => void>> = {
  'a sparse checkout': (rig) => rig.git(rig.worktree, 'sparse-checkout', 'set', 'nowhere'),
  'a sparse checkout by patterns': (rig) =>
    rig.git(rig.worktree, 'sparse-checkout', 'set', '--no-cone', '/a.txt'),
  'a sparse index': (rig) =>
    rig.git(rig.worktree, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'nowhere'),
  'files marked as skipped that are gone': (rig) => {
    rig.git(rig.worktree, 'update-index', '--skip-worktree', 'a.txt', 'dir/b.txt');
    rmSync(join(rig.worktree, 'a.txt'));
  },
  'files marked as unchanged that are gone': (rig) => {
    rig.git(rig.worktree, 'update-index', '--assume-unchanged', 'a.txt');
    rmSync(join(rig.worktree, 'a.txt'));
  },
  'hooks of its own': (rig) => setOwn(rig, 'core.hooksPath', '/nowhere'),
  'other files to ignore': (rig) => {
    rig.write(join(rig.root, 'all'), '*\n');
    setOwn(rig, 'core.excludesFile', join(rig.root, 'all'));
    rig.write(join(rig.worktree, 'unseen'), 'unseen\n');
  },
  'another place for its files': (rig) => {
    rig.write(join(rig.root, 'elsewhere/mine'), 'mine\n');
    setOwn(rig, 'core.worktree', join(rig.root, 'elsewhere'));
    rig.write(join(rig.worktree, 'unseen'), 'unseen\n');
  },
  'a bisection half done': (rig) => {
    rig.git(rig.worktree, 'bisect', 'start');
    rig.git(rig.worktree, 'bisect', 'bad');
  },
  'the message of a squash': (rig) => {
    rig.git(rig.worktree, 'merge', '--squash', 'other');
    rig.git(rig.worktree, 'reset', '-q', '--', '.');
    rig.git(rig.worktree, 'checkout', '-q', '--', '.');
  },
};

function setOwn(rig: GitRig, key: string, text: string): void {
  rig.git(rig.worktree, 'config', 'extensions.worktreeConfig', 'true');
  rig.git(rig.worktree, 'config', '--worktree', key, text);
}

/** All that git knows of a worktree, and all that lies in it. */
function describeWorktree(rig: GitRig) {
  const own = rig.git(rig.worktree, 'rev-parse', '--absolute-git-dir');
  return {
    files: readdirSync(rig.worktree, { recursive: true }).map(String).toSorted(),
    index: rig.git(rig.worktree, 'ls-files', '-v'),
    settings: rig
      .git(rig.worktree, 'config', '--list')
      .replace(/^extensions\..*\n?/m, '')
      .trim(),
    isSparse: rig.exists(own, 'info/sparse-checkout'),
    refs: rig.git(rig.worktree, 'for-each-ref', 'refs/bisect', 'refs/worktree'),
    message: rig.exists(own, 'SQUASH_MSG'),
    status: rig.status(rig.worktree),
  };
}

async function steeredRig(kind: string): Promise<{ rig: GitRig; before: unknown }> {
  const rig = new GitRig().withCommit();
  rig.git(rig.repository, 'checkout', '-qb', 'other');
  rig.commit(rig.repository, { 'a.txt': 'other\n' });
  rig.git(rig.repository, 'checkout', '-q', 'main');
  await rig.bind();
  const before = describeWorktree(rig);
  STEERED[kind]?.(rig);
  expect(describeWorktree(rig)).not.toEqual(before);
  return { rig, before };
}

describe.each(Object.keys(STEERED))('what a task leaves in its worktree alone: %s', (kind) => {
  it('is gone when the worktree has been given back', async () => {
    const { rig, before } = await steeredRig(kind);
    await using _ = rig;
    const hasWork = rig.exists(rig.worktree, 'unseen');
    const { salvageRef } = value(await rig.release());
    if (hasWork) expect(rig.stored(salvageRef ?? '', 'unseen').toString()).toBe('unseen\n');
    await rig.bind({ branch: 'next', taskId: 'next' });
    expect(describeWorktree(rig)).toEqual(before);
    const elsewhere = join(rig.root, 'elsewhere/mine');
    if (rig.exists(elsewhere)) expect(rig.read(elsewhere)).toBe('mine\n');
  });

  it('is found by the next task where nobody gave the worktree back', async () => {
    const { rig, before } = await steeredRig(kind);
    await using _ = rig;
    rig.git(rig.worktree, 'update-ref', '--no-deref', 'HEAD', rig.head(rig.worktree));
    rmSync(join(rig.worktree, 'TASK.md'));
    await rig.bind({ branch: 'next', taskId: 'next' });
    expect(describeWorktree(rig)).toEqual(before);
  });
});

it('a worktree keeps what it got from the checkout it was made from', async () => {
  await using rig = new GitRig().withCommit();
  rig.git(rig.repository, 'sparse-checkout', 'set', '--no-cone', '/a.txt');
  await rig.bind();
  const before = describeWorktree(rig);
  expect(before.files).toEqual(['.git', 'TASK.md', 'a.txt']);
  rig.git(rig.repository, 'sparse-checkout', 'disable');
  value(await rig.release());
  await rig.bind({ branch: 'second' });
  expect(describeWorktree(rig)).toEqual(before);
  rig.git(rig.worktree, 'sparse-checkout', 'disable');
  expect(rig.exists(rig.worktree, 'dir/b.txt')).toBe(true);
  value(await rig.release());
  await rig.bind({ branch: 'third' });
  expect(describeWorktree(rig)).toEqual(before);
});

it('F40 commits that only a ref of one worktree leads to are kept, and the ref goes', async () => {
  await using rig = new GitRig().withCommit();
  await rig.bind();
  const lost = rig.commit(rig.worktree, { 'c.txt': 'precious\n' });
  rig.git(rig.worktree, 'update-ref', 'refs/worktree/mine/tip', lost);
  rig.git(rig.worktree, 'reset', '-q', '--hard', 'HEAD~1');
  const { salvageRef } = value(await rig.release());
  expect(rig.head(rig.repository, salvageRef ?? '')).toBe(lost);
  expect(rig.git(rig.worktree, 'for-each-ref', 'refs/worktree')).toBe('');
});

it('F40 they are kept from a worktree whose directory is gone as well', async () => {
  await using rig = new GitRig().withCommit();
  await rig.bind();
  const lost = rig.commit(rig.worktree, { 'c.txt': 'precious\n' });
  rig.git(rig.worktree, 'update-ref', 'refs/worktree/tip', lost);
  rig.git(rig.worktree, 'reset', '-q', '--hard', 'HEAD~1');
  rmSync(rig.worktree, { recursive: true });
  const { repository, worktree } = rig;
  const order = { repository, worktree, defaultBranch: 'main', taskId: TASK };
  const { salvageRef } = value(await rig.repositories.rebuild(order));
  expect(rig.head(rig.repository, salvageRef ?? '')).toBe(lost);
});

it('F41 settings of a worktree that somebody works in stay as they are', async () => {
  await using rig = new GitRig().withCommit();
  await rig.bind();
  rig.git(rig.worktree, 'sparse-checkout', 'set', 'nowhere');
  const before = describeWorktree(rig);
  const guarded = rig.createRepositories(rig.env, () => success([{ pid: 7, command: 'vi' }]));
  const { repository, worktree } = rig;
  const order = { repository, worktree, defaultBranch: 'main', taskId: TASK };
  expect(await guarded.release(order)).toMatchObject({ failure: { kind: 'worktree-occupied' } });
  expect(describeWorktree(rig)).toEqual(before);
});
