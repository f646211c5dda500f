import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GitRig, value } from './git-rig.js';

async function warm(): Promise<GitRig> {
  const rig = new GitRig().withCommit();
  await rig.bind({ branch: 'first' });
  value(await rig.release());
  return rig;
}

type Act = (rig: GitRig) => void;

/** What somebody does in a free worktree, and what of it must be found in the saved work. */
const FOREIGN: readonly (readonly [string, Act, string, string])[] = [
  ['a new file', (rig) => rig.write(join(rig.worktree, 'new.txt'), 'x'), 'new.txt', 'x'],
  ['a new folder', (rig) => rig.write(join(rig.worktree, 'new/in.txt'), 'x'), 'new/in.txt', 'x'],
  ['a changed file', (rig) => rig.write(join(rig.worktree, 'a.txt'), 'x'), 'a.txt', 'x'],
  ['a deleted file', (rig) => rmSync(join(rig.worktree, 'dir/b.txt')), 'a.txt', 'one\n'],
  [
    'a staged file',
    (rig) => {
      rig.write(join(rig.worktree, 'a.txt'), 'staged');
      rig.git(rig.worktree, 'add', 'a.txt');
    },
    'a.txt',
    'staged',
  ],
];

it.each(FOREIGN)(
  'a warm worktree with %s in it is saved and cleaned before its next task has it',
  async (_, act, path, text) => {
    await using rig = await warm();
    act(rig);
    await rig.bind();
    expect(rig.git(rig.worktree, 'branch', '--show-current')).toBe('feat');
    expect(rig.status(rig.worktree)).toBe('');
    expect(rig.head(rig.worktree)).toBe(rig.head(rig.repository));
    const [ref = ''] = rig.salvageRefs();
    expect(rig.stored(ref, path).toString()).toBe(text);
  },
);

it('a warm worktree that is clean is given away without a trace', async () => {
  await using rig = await warm();
  await rig.bind();
  expect(rig.git(rig.worktree, 'branch', '--show-current')).toBe('feat');
  expect(rig.status(rig.worktree)).toBe('');
  expect(rig.salvageRefs()).toEqual([]);
});

it('F40 a bind that was cut off on the branch is looked at again, but not once the task has run', async () => {
  await using rig = await warm();
  const foreign = join(rig.worktree, 'precious.txt');
  rig.git(rig.worktree, 'switch', '-q', '-c', 'feat');
  rig.write(foreign, 'mine');
  value(await rig.repositories.bind(rig.bindRequest()));
  expect(rig.status(rig.worktree)).toBe('?? precious.txt');
  value(await rig.repositories.bind(rig.bindRequest({ isFirst: true })));
  expect(rig.git(rig.worktree, 'branch', '--show-current')).toBe('feat');
  expect(rig.status(rig.worktree)).toBe('');
  const [ref = ''] = rig.salvageRefs();
  expect(rig.stored(ref, 'precious.txt').toString()).toBe('mine');
});
