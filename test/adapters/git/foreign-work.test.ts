import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { failure, GitRig, value } from './git-rig.js';

/** A worktree that was through one task, handed out again without a look. */
async function takeUnseen(rig: GitRig, before: () => void): Promise<number> {
  rig.withCommit();
  await rig.bind({ branch: 'first' });
  value(await rig.release());
  before();
  // The kernel's stamps may be a few milliseconds behind the clock.
  await pause(20);
  const bound = value(await rig.repositories.bind(rig.bindRequest({ mayCheckLater: true })));
  await pause(20);
  return bound.uncheckedAtMs ?? Number.NaN;
}

function check(rig: GitRig, takenAtMs: number) {
  const { repository, worktree } = rig;
  return rig.repositories.checkTaken({ repository, worktree, takenAtMs });
}

const FOREIGN: readonly (readonly [string, (rig: GitRig) => void])[] = [
  ['a new file', (rig) => rig.write(join(rig.worktree, 'new.txt'), 'x')],
  ['a new folder', (rig) => rig.write(join(rig.worktree, 'new/deep.txt'), 'x')],
  ['a changed file', (rig) => rig.write(join(rig.worktree, 'a.txt'), 'x')],
  ['a deleted file', (rig) => rmSync(join(rig.worktree, 'dir/b.txt'))],
  [
    'a staged file',
    (rig) => {
      rig.write(join(rig.worktree, 'a.txt'), 'staged');
      rig.git(rig.worktree, 'add', 'a.txt');
    },
  ],
];

it.each(FOREIGN)('a warm worktree that held %s when it was taken is found out', async (_, act) => {
  await using rig = new GitRig();
  const takenAtMs = await takeUnseen(rig, () => act(rig));
  expect(rig.git(rig.worktree, 'branch', '--show-current')).toBe('feat');
  rig.write(join(rig.worktree, 'agent.txt'), 'of the task');
  expect(failure(await check(rig, takenAtMs))).toMatchObject({
    kind: 'worktree-unusable',
    reason: 'it held work that no task had left there',
  });
});

it.each(FOREIGN)('%s that its own task brings about is nobody else’s', async (_, act) => {
  await using rig = new GitRig();
  const takenAtMs = await takeUnseen(rig, () => {});
  value(await check(rig, takenAtMs));
  act(rig);
  value(await check(rig, takenAtMs));
});

it('a worktree is looked at first where git has to go through its files anyway', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  const later = { mayCheckLater: true };
  await rig.bind({ branch: 'first' });
  value(await rig.release());
  rig.git(rig.repository, 'branch', 'old');
  rig.commit(rig.repository, { 'a.txt': 'moved on\n' });
  const existing = rig.bindRequest({ ...later, branch: 'old' });
  expect(value(await rig.repositories.bind(existing)).uncheckedAtMs).toBeNull();
  value(await rig.release());
  rig.commit(rig.repository, { 'a.txt': 'and on\n' });
  expect(value(await rig.repositories.bind(rig.bindRequest(later))).uncheckedAtMs).toBeNull();
  expect(rig.status(rig.worktree)).toBe('');
});
