import { expect, it } from 'vitest';
import { failure, GitRig, value } from './git-rig.js';

const GOOD = [
  'feat',
  'feat/x',
  'feat/ä',
  '$(touch${IFS}pwn)',
  '#(touch)',
  ';id',
  'a--b',
  'x@y',
  "it's",
];
const BAD = [
  '',
  '-x',
  '--upload-pack=touch',
  'a b',
  'x.y:z',
  '@',
  '@{-1}',
  'HEAD',
  'FETCH_HEAD',
  'refs/heads/x',
  'a..b',
  'a.lock',
  '/a',
  'a/',
  'a//b',
  '.a',
  'a\u0007b',
  'a\nb',
  'a\u0085b',
  '\ud800',
  'a~1',
  '*',
  'x'.repeat(201),
  'ä'.repeat(101),
  '0123456789012345678901234567890123456789',
];

it.each(GOOD)('"%s" can be a branch', async (branch) => {
  await using rig = new GitRig();
  expect((await rig.repositories.checkBranchName(branch)).ok).toBe(true);
});

it.each(BAD)('"%s" cannot be a branch', async (branch) => {
  await using rig = new GitRig();
  rig.withCommit();
  expect(failure(await rig.repositories.checkBranchName(branch))).toMatchObject({
    kind: 'branch-invalid',
    branch,
  });
  expect(failure(await rig.repositories.bind(rig.bindRequest({ branch }))).kind).toBe(
    'branch-invalid',
  );
  expect(rig.git(rig.repository, 'branch', '--format=%(refname)')).toBe('refs/heads/main');
});

it('F67 a strange but legal name goes through bind, merge and release and runs nothing', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  for (const [index, branch] of ['$(touch${IFS}pwn)', '#(touch)', ';id', 'feat/ä'].entries()) {
    const taskId = `task${index}`;
    await rig.bind({ branch, taskId });
    rig.commit(rig.worktree, { [`new-${index}`]: 'x' });
    value(await rig.repositories.merge(rig.mergeRequest({ branch, taskId })));
    value(await rig.release());
    value(
      await rig.repositories.deleteMergedBranch({ repository: rig.repository, branch, taskId }),
    );
  }
  expect(rig.exists(rig.repository, 'pwn')).toBe(false);
  expect(rig.exists(rig.worktree, 'pwn')).toBe(false);
  expect(rig.git(rig.repository, 'branch', '--format=%(refname)')).toBe('refs/heads/main');
});

it('F44 a branch that is a folder of another, or the other way round, is a conflict', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  rig.git(rig.repository, 'branch', 'feat/x/y');
  expect(failure(await rig.repositories.bind(rig.bindRequest({ branch: 'feat/x' })))).toEqual({
    kind: 'branch-conflict',
    branch: 'feat/x',
    with: 'feat/x/y',
  });
  expect(failure(await rig.repositories.bind(rig.bindRequest({ branch: 'main/sub' })))).toEqual({
    kind: 'branch-conflict',
    branch: 'main/sub',
    with: 'main',
  });
});
