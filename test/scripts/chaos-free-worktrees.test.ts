import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Violation = { readonly key: string; readonly text: string };
type Oracle = {
  readonly checkFreeWorktrees: (
    place: object,
    home: object,
    agents: readonly object[],
  ) => Promise<readonly Violation[]>;
};

const git = (directory: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-C', directory, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  });

describe('the oracle’s look at free worktrees', () => {
  let root: string;
  let path: string;

  const wrongWith = async (status = 'available', agents: readonly object[] = []) => {
    const { checkFreeWorktrees } = await loadScript<Oracle>('../chaos/oracle/check-free-worktrees');
    const place = {
      home: root,
      git: async (directory: string, ...args: readonly string[]) => git(directory, ...args),
    };
    const home = { pool: { 'shop--1': { status } } };
    return (await checkFreeWorktrees(place, home, agents)).map(({ text }) => text);
  };

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'of-'));
    path = join(root, 'workspaces', 'shop--1');
    const shop = join(root, 'shop');
    mkdirSync(shop);
    git(shop, 'init', '--quiet', '--initial-branch', 'main');
    writeFileSync(join(shop, '.gitignore'), 'cache/\n');
    git(shop, 'add', '--all');
    const author = ['-c', 'user.name=Pat', '-c', 'user.email=pat@shop.invalid'];
    git(shop, ...author, 'commit', '--quiet', '--message', 'Start');
    git(shop, 'worktree', 'add', '--quiet', '--detach', path);
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('is content with one that is clean, whatever git ignores in it', async () => {
    mkdirSync(join(path, 'cache'));
    writeFileSync(join(path, 'cache', 'ready'), 'ready\n');
    expect(await wrongWith()).toEqual([]);
  });

  it('is content with what a person has put there under that name', async () => {
    mkdirSync(join(path, 'TASK.md'));
    writeFileSync(join(path, 'TASK.md', '.gitignore'), '*\n');
    expect(await wrongWith()).toEqual([]);
  });

  it('is content with one that is not there, or that somebody has', async () => {
    writeFileSync(join(path, 'work.txt'), 'work\n');
    expect(await wrongWith('bound')).toEqual([]);
    rmSync(path, { recursive: true });
    expect(await wrongWith()).toEqual([]);
  });

  it.each([
    ['a file that git does not know', () => writeFileSync(join(path, 'left.txt'), ''), 'left.txt'],
    [
      'a file that was changed',
      () => writeFileSync(join(path, '.gitignore'), '*\n'),
      ' M .gitignore',
    ],
    [
      'a change that was added',
      () => {
        writeFileSync(join(path, 'left.txt'), '');
        git(path, 'add', '--all');
      },
      'A  left.txt',
    ],
    ['a branch', () => git(path, 'switch', '--quiet', '--create', 'dark-mode'), 'on a branch'],
    [
      'the file of a task, though git is told to ignore it',
      () => {
        symlinkSync('/nowhere', join(path, 'TASK.md'));
        writeFileSync(join(root, 'shop/.git/info/exclude'), 'TASK.md\n');
      },
      'has a TASK.md',
    ],
  ])('F5 I4 sees %s', async (_what, spoil, text) => {
    spoil();
    expect(await wrongWith()).toEqual([expect.stringContaining(text)]);
  });

  it('F5 I4 sees an agent that is still in one', async () => {
    const agent = { taskId: 'one', role: 'worker', pid: 7, command: 'sh' };
    expect(await wrongWith('available', [{ ...agent, cwd: join(path, 'src') }])).toHaveLength(1);
    expect(await wrongWith('available', [{ ...agent, cwd: `${path}0` }])).toEqual([]);
  });
});
