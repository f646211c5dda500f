import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failure, GitRig, value } from './git-rig.js';

const request = ({ repository, worktree }: GitRig) => ({
  repository,
  worktree,
  branch: 'feat',
  base: 'main',
});

describe('what a branch has changed', () => {
  it('is what its commits and its worktree have, but not what is ignored, and not the task’s file', async () => {
    await using rig = new GitRig().withCommit();
    await rig.bind();
    const { repository, worktree } = rig;
    const changed = async (where: string | null = worktree) => {
      const paths = await rig.repositories.changedPaths({ ...request(rig), worktree: where });
      return value(paths).toSorted();
    };
    expect(await changed()).toEqual([]);
    rig.commit(worktree, { 'committed.txt': 'x', 'dir/b.txt': 'changed' });
    rig.commit(repository, { 'elsewhere.txt': 'on the base' });
    rig.write(join(worktree, 'a.txt'), 'not committed\n');
    rig.write(join(worktree, 'committed.txt'), 'changed again');
    rig.write(join(worktree, 'new', 'deep', 'ü "x".txt'), 'untracked\n');
    rig.write(join(worktree, 'staged.txt'), 'staged\n');
    rig.git(worktree, 'add', 'staged.txt');
    rig.write(join(worktree, 'ignored', 'cache'), 'warm\n');
    rmSync(join(worktree, '.gitignore'));
    rig.write(join(worktree, '.gitignore'), 'ignored/\n.env\n');
    const committed = ['committed.txt', 'dir/b.txt'];
    expect(await changed()).toEqual(['a.txt', ...committed, 'new/deep/ü "x".txt', 'staged.txt']);
    expect(await changed(null)).toEqual(committed);
  });

  it('has a file that was moved under both names', async () => {
    await using rig = new GitRig().withCommit();
    await rig.bind();
    rig.git(rig.worktree, 'mv', 'a.txt', 'b.txt');
    const paths = value(await rig.repositories.changedPaths(request(rig)));
    expect(paths.toSorted()).toEqual(['a.txt', 'b.txt']);
  });

  it('cannot be told of a branch that is gone', async () => {
    await using rig = new GitRig().withCommit();
    const asked = await rig.repositories.changedPaths(request(rig));
    expect(failure(asked)).toMatchObject({ kind: 'branch-missing' });
  });

  it('is looked at without running what the worktree’s settings name', async () => {
    await using rig = new GitRig().withCommit();
    await rig.bind();
    const canary = join(rig.root, 'canary');
    rig.git(rig.worktree, 'config', 'filter.evil.clean', `touch ${canary}; cat`);
    rig.git(rig.worktree, 'config', 'core.fsmonitor', `touch ${canary}`);
    rig.write(join(rig.worktree, '.gitattributes'), '* filter=evil\n');
    rig.write(join(rig.worktree, 'a.txt'), 'other\n');
    const paths = value(await rig.repositories.changedPaths(request(rig)));
    expect(paths.toSorted()).toEqual(['.gitattributes', 'a.txt']);
    expect(rig.exists(canary)).toBe(false);
  });
});
