import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDiskFiles } from '../../../src/adapters/disk-files.js';
import { ScreenCache } from '../../../src/adapters/git/screen-cache.js';
import { failed, success } from '../../../src/domain/result.js';

/** A repository and a linked worktree of it, as far as the cache looks at them. */
function caching() {
  const root = mkdtempSync(join(tmpdir(), 'os-'));
  const write = (path: string, text: string): void => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  write('repo/.git/config', '[core]\n');
  write('repo/.git/worktrees/w/commondir', '../..\n');
  write('w/.git', `gitdir: ${join(root, 'repo/.git/worktrees/w')}\n`);
  write('home/.gitconfig', '[user]\n');
  const clock = { nowMs: 0, looks: 0 };
  const env = { HOME: join(root, 'home'), GIT_CONFIG_SYSTEM: join(root, 'system') };
  const cache = new ScreenCache(createDiskFiles(), env, () => clock.nowMs);
  const ask = async (directory = 'repo') =>
    cache.recall(join(root, directory), async () => {
      clock.looks += 1;
      return success({ overrides: [], sshCommand: null });
    });
  return {
    root,
    write,
    clock,
    cache,
    ask,
    /** How often it was looked when asked twice, with this done in between. */
    async looksAround(change: () => void, directory?: string): Promise<number> {
      await ask(directory);
      change();
      await ask(directory);
      return clock.looks;
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

type Caching = ReturnType<typeof caching>;

type Row = readonly [string, number, (given: Caching) => void, string];

const ROWS: readonly Row[] = [
  ['that stayed as it is is not looked at again', 1, () => undefined, 'repo'],
  ['behind a worktree that stayed as it is is not either', 1, () => undefined, 'w'],
  ['that was changed is', 2, ({ write }) => write('repo/.git/config', '[core]\n\tx = y\n'), 'repo'],
  [
    'that was changed to something of the same length is',
    2,
    ({ write, root }) => {
      write('repo/.git/config', '[cure]\n');
      utimesSync(join(root, 'repo/.git/config'), 1, 1);
    },
    'repo',
  ],
  ['that was changed behind a worktree is', 2, ({ write }) => write('repo/.git/config', 'x'), 'w'],
  [
    'of the worktree alone is',
    2,
    ({ write }) => write('repo/.git/worktrees/w/config.worktree', '[core]\n'),
    'w',
  ],
  [
    'of the person is',
    2,
    ({ write }) => write('home/.gitconfig', '[user]\n\tname = Pat\n'),
    'repo',
  ],
  ['of the machine is', 2, ({ write }) => write('system', '[core]\n'), 'repo'],
  [
    'of the person at the other usual place is',
    2,
    ({ write }) => write('home/.config/git/config', ''),
    'repo',
  ],
  [
    'is looked at again after a while all the same',
    2,
    ({ clock }) => (clock.nowMs += 5001),
    'repo',
  ],
  ['is not yet looked at again before that', 1, ({ clock }) => (clock.nowMs += 5000), 'repo'],
];

describe('configuration', () => {
  it.each(ROWS)('%s', async (_what, looks, change, directory) => {
    using given = caching();
    expect(await given.looksAround(() => change(given), directory)).toBe(looks);
  });

  it.each([
    ['that includes other files', 'repo/.git/config', '[include]\n\tpath = ../x\n', 'repo'],
    ['of a worktree that includes other files', 'repo/.git/config', '[InClude]\n', 'w'],
    ['of what has no git directory', 'plain/x', '', 'plain'],
    ['behind a pointer that says nothing', 'odd/.git', 'nothing\n', 'odd'],
  ])('%s is looked at each time', async (_what, path, text, directory) => {
    using given = caching();
    given.write(path, text);
    expect(await given.looksAround(() => undefined, directory)).toBe(2);
  });

  it('of the person behind a link is looked at again when what it leads to changes', async () => {
    using given = caching();
    const real = join(given.root, 'dotfiles');
    given.write('dotfiles', '[user]\n');
    rmSync(join(given.root, 'home/.gitconfig'));
    symlinkSync(real, join(given.root, 'home/.gitconfig'));
    const change = (): void => given.write('dotfiles', '[user]\n\tname = Pat\n');
    expect(await given.looksAround(change)).toBe(2);
  });

  it('that could not be read is not remembered as anything', async () => {
    using given = caching();
    const directory = join(given.root, 'repo');
    const failure = { kind: 'program-missing', program: 'git' } as const;
    expect(await given.cache.recall(directory, async () => failed(failure))).toEqual(
      failed(failure),
    );
    await given.ask();
    expect(given.clock.looks).toBe(1);
  });
});
