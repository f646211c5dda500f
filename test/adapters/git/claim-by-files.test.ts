import { rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createDiskFiles } from '../../../src/adapters/disk-files.js';
import { claimByFiles } from '../../../src/adapters/git/claim-by-files.js';
import { failure, GitRig, value } from './git-rig.js';

const FILES = createDiskFiles();

async function warm(): Promise<GitRig> {
  const rig = new GitRig().withCommit();
  await rig.bind({ branch: 'first' });
  value(await rig.release());
  return rig;
}

function claimIn(rig: GitRig, branch: string, commit = rig.head(rig.repository)): boolean {
  const common = join(rig.repository, '.git');
  const gitDirectory = rig.git(rig.worktree, 'rev-parse', '--absolute-git-dir');
  return claimByFiles(FILES, { common, gitDirectory, ref: `refs/heads/${branch}`, commit });
}

it.each(['feat', 'feat/deep/er', 'orange-tasks/V1StGXR8', 'ünï/cödé'])(
  'git finds the branch %s as if it had made it itself',
  async (branch) => {
    await using rig = await warm();
    expect(claimIn(rig, branch)).toBe(true);
    expect(rig.git(rig.worktree, 'symbolic-ref', 'HEAD')).toBe(`refs/heads/${branch}`);
    expect(rig.head(rig.repository, `refs/heads/${branch}`)).toBe(rig.head(rig.repository));
    expect(rig.status(rig.worktree)).toBe('');
    const commit = rig.commit(rig.worktree, { 'new.txt': 'x' });
    expect(rig.head(rig.repository, `refs/heads/${branch}`)).toBe(commit);
    expect(rig.git(rig.repository, 'fsck', '--strict')).not.toMatch(/error|bad|invalid/);
    expect(rig.git(rig.repository, 'worktree', 'list', '--porcelain')).toContain(
      `branch refs/heads/${branch}`,
    );
    rig.git(rig.repository, 'pack-refs', '--all');
    expect(rig.head(rig.repository, `refs/heads/${branch}`)).toBe(commit);
  },
);

const REFUSALS: readonly (readonly [string, (rig: GitRig) => void])[] = [
  ['a branch that is there', (rig) => rig.git(rig.repository, 'branch', 'feat')],
  [
    'a branch that is packed',
    (rig) => {
      rig.git(rig.repository, 'branch', 'feat');
      rig.git(rig.repository, 'pack-refs', '--all');
    },
  ],
  ['a branch that a git is making', (rig) => rig.write(lockOf(rig), '')],
  ['a name under another branch', (rig) => rig.git(rig.repository, 'branch', 'feat/x')],
  [
    'a name under another branch that is packed',
    (rig) => {
      rig.git(rig.repository, 'branch', 'feat/x');
      rig.git(rig.repository, 'pack-refs', '--all');
    },
  ],
  [
    'a repository that several people share',
    (rig) => rig.git(rig.repository, 'config', 'core.sharedRepository', 'group'),
  ],
  [
    'a repository with settings from elsewhere',
    (rig) => rig.git(rig.repository, 'config', 'include.path', 'more'),
  ],
  ['a worktree with words for another commit', (rig) => leaveMessage(rig)],
  ['a worktree on another commit', (rig) => rig.commit(rig.worktree, { 'a.txt': 'two' })],
  ['a worktree that is on a branch', (rig) => rig.git(rig.worktree, 'switch', '-qc', 'mine')],
];

it.each(REFUSALS)('%s is left to git', async (_, act) => {
  await using rig = await warm();
  const commit = rig.head(rig.repository);
  act(rig);
  const refs = rig.git(rig.repository, 'for-each-ref');
  const head = rig.git(rig.worktree, 'rev-parse', '--symbolic-full-name', 'HEAD');
  expect(claimIn(rig, 'feat', commit)).toBe(false);
  expect(rig.git(rig.repository, 'for-each-ref')).toBe(refs);
  expect(rig.git(rig.worktree, 'rev-parse', '--symbolic-full-name', 'HEAD')).toBe(head);
});

it('F45 a lock that a killed start left on its branch is removed once it is old', async () => {
  await using rig = await warm();
  rig.write(lockOf(rig), rig.head(rig.repository));
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(lockOf(rig), longAgo, longAgo);
  await rig.bind();
  expect(rig.git(rig.worktree, 'branch', '--show-current')).toBe('feat');
  expect(rig.exists(lockOf(rig))).toBe(false);
});

it('F45 a new lock on the branch is waited for, and the branch is not made over it', {
  timeout: 30_000,
}, async () => {
  await using rig = await warm();
  rig.write(lockOf(rig), '');
  const held = setInterval(() => utimesSync(lockOf(rig), new Date(), new Date()), 200);
  try {
    const bound = await rig.repositories.bind(rig.bindRequest());
    expect(failure(bound)).toMatchObject({
      kind: 'worktree-unusable',
      reason: expect.stringContaining('feat.lock'),
    });
  } finally {
    clearInterval(held);
  }
  rmSync(lockOf(rig));
  await rig.bind();
  expect(rig.git(rig.worktree, 'branch', '--show-current')).toBe('feat');
});

it('a bind that was cut off after the branch was made goes to that branch', async () => {
  await using rig = await warm();
  rig.git(rig.repository, 'branch', 'feat', 'main');
  await rig.bind();
  expect(rig.git(rig.worktree, 'branch', '--show-current')).toBe('feat');
  expect(rig.status(rig.worktree)).toBe('');
});

it.each([
  ['one that is a branch', []],
  ['one that is a packed branch', ['pack-refs', '--all']],
])('a name below %s is left to git', async (_, command) => {
  await using rig = await warm();
  rig.git(rig.repository, 'branch', 'deep');
  if (command.length > 0) rig.git(rig.repository, ...command);
  expect(claimIn(rig, 'deep/er')).toBe(false);
  expect(rig.git(rig.worktree, 'rev-parse', '--symbolic-full-name', 'HEAD')).toBe('HEAD');
});

function leaveMessage(rig: GitRig): void {
  const own = rig.git(rig.worktree, 'rev-parse', '--absolute-git-dir');
  rig.write(join(own, 'SQUASH_MSG'), 'Squashed\n');
}

function lockOf(rig: GitRig): string {
  return join(rig.repository, '.git/refs/heads/feat.lock');
}
