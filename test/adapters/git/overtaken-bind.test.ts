import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Repositories } from '../../../src/ports.js';
import { GitRig, value } from './git-rig.js';
import { success } from '../../../src/domain/result.js';

async function warm(): Promise<GitRig> {
  const rig = new GitRig().withCommit();
  await rig.bind({ branch: 'first' });
  value(await rig.release());
  return rig;
}

/** Repositories that give somebody time for one thing while a bind waits for whoever is in the worktree. */
function whileWaiting(rig: GitRig, act: () => void): Repositories {
  let isDone = false;
  return rig.createRepositories(rig.env, () => {
    if (!isDone) act();
    isDone = true;
    return success([]);
  });
}

function expectTaskAlone(rig: GitRig, mine: string): void {
  expect(rig.git(rig.worktree, 'branch', '--show-current')).toBe('feat');
  expect(rig.head(rig.worktree)).toBe(rig.head(rig.repository, 'main'));
  expect(rig.status(rig.worktree)).toBe('');
  const holders = rig.git(
    rig.repository,
    'for-each-ref',
    '--format=%(refname)',
    '--contains',
    mine,
  );
  expect(holders).toMatch(/^refs\/(orange\/salvage\/\S+|heads\/mine)$/);
}

it.each([
  ['a new branch where the base is', (_rig: GitRig) => undefined],
  ['a base that has moved', (rig: GitRig) => void rig.commit(rig.repository, { moved: '1' })],
])(
  'F40 a commit that somebody makes while a bind waits is saved, and not part of the task: %s',
  async (_, prepare) => {
    await using rig = await warm();
    prepare(rig);
    let mine = '';
    const repositories = whileWaiting(rig, () => {
      mine = rig.commit(rig.worktree, { 'mine.txt': 'mine' });
    });
    value(await repositories.bind(rig.bindRequest()));
    expectTaskAlone(rig, mine);
  },
);

it('F40 a branch that somebody goes to while a bind waits stays theirs alone', async () => {
  await using rig = await warm();
  let mine = '';
  const repositories = whileWaiting(rig, () => {
    rig.git(rig.worktree, 'switch', '-qc', 'mine');
    mine = rig.commit(rig.worktree, { 'mine.txt': 'mine' });
  });
  value(await repositories.bind(rig.bindRequest()));
  expectTaskAlone(rig, mine);
  expect(rig.head(rig.repository, 'mine')).toBe(mine);
});

it.each([
  ['a base that has moved', (rig: GitRig) => void rig.commit(rig.repository, { moved: '1' })],
  ['a branch that is there', (rig: GitRig) => void rig.git(rig.repository, 'branch', 'feat')],
])(
  'F40 a commit that somebody makes while the files are looked through is not lost: %s',
  async (_, prepare) => {
    await using rig = await warm();
    prepare(rig);
    const before = rig.head(rig.worktree);
    const once = join(rig.root, 'once');
    const tree = rig.git(rig.worktree, 'rev-parse', 'HEAD^{tree}');
    const mine = rig.git(rig.worktree, 'commit-tree', '-p', before, '-m', 'mine', tree);
    const moveHead = `${rig.gitProgram} -C ${rig.worktree} update-ref --no-deref HEAD ${mine} ${before}`;
    const env = rig.withGitLike(
      `case "$*" in *" status "*) [ -e ${once} ] || { touch ${once}; ${moveHead}; };; esac`,
    );
    value(await rig.createRepositories(env).bind(rig.bindRequest()));
    expect(rig.exists(once)).toBe(true);
    expect(rig.git(rig.repository, 'for-each-ref', '--contains', mine)).not.toBe('');
  },
);
