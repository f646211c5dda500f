import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BranchDiff } from '../../src/domain/branch-diff.js';
import { failed, success } from '../../src/domain/result.js';
import type { Repositories } from '../../src/ports.js';
import { createPaths } from '../../src/record/paths.js';
import { projectView, snapshotOf, taskView } from '../tui/task-views.js';
import { cliRig } from './cli-rig.js';

const TASK = taskView({ fields: { id: 'task1', branch: 'one', workspace: 'shop--1' } });
const snapshot = snapshotOf([TASK], [projectView()]);
const DIFF: BranchDiff = {
  all: 'everything',
  parts: [
    { place: 'committed', text: ' a.txt | 1 +' },
    { place: 'staged', text: ' b.txt | 1 +' },
    { place: 'unstaged', text: ' c.txt | 1 +' },
    { place: 'untracked', text: ' d.txt | 1 +' },
  ],
  commits: ['1a2b3c4 Add\u001b[2J a'],
  commitCount: 3,
};

type Asked = Parameters<Repositories['diff']>[0];

function rigWith(diff = DIFF, page: (text: string) => Promise<boolean> = async () => false) {
  const asked: Asked[] = [];
  const rig = cliRig({
    snapshot,
    repositories: {
      diff: async (request) => {
        asked.push(request);
        return success(diff);
      },
    },
    override: {
      terminal: {
        isInteractive: true,
        screen: null,
        ask: async () => '',
        page,
        readInput: async () => '',
      },
    },
  });
  return { ...rig, asked };
}

describe('task diff', () => {
  it.each([
    ['', 'stat', []],
    ['--full', 'full', []],
    ['--name-only', 'names', []],
    ['src/a.ts', 'full', ['src/a.ts']],
    ['-- --full src/b.ts', 'full', ['--full', 'src/b.ts']],
    ['--stat src/a.ts', 'stat', ['src/a.ts']],
  ])('one %s asks for %s of %j', async (words, form, paths) => {
    const rig = rigWith();
    const ran = await rig.run('task', 'diff', 'task1', ...words.split(' ').filter(Boolean));
    expect(ran.exitCode).toBe(0);
    expect(rig.asked).toMatchObject([{ form, paths, branch: 'one', columns: 80 }]);
  });

  it('tells commits from what is staged, changed and untracked', async () => {
    const ran = await rigWith().run('task', 'diff', 'task1');
    expect(ran.stdout).toBe(
      [
        '3 commits on one since main:',
        '  1a2b3c4 Add^[[2J a',
        '  and 2 more',
        ' a.txt | 1 +',
        '',
        'Staged, not committed:',
        ' b.txt | 1 +',
        '',
        'Changed, not staged:',
        ' c.txt | 1 +',
        '',
        'Untracked:',
        ' d.txt | 1 +',
        '',
      ].join('\n'),
    );
  });

  it('gives a program everything as git wrote it, and each part by its name', async () => {
    const ran = await rigWith().run('task', 'diff', 'task1', '--full', '--json');
    const { all: diff, parts, commits } = DIFF;
    expect(ran.json()).toEqual({
      id: 'task1',
      branch: 'one',
      base: 'main',
      form: 'full',
      diff,
      parts,
      commits,
    });
  });

  it('shows what is longer than the screen in the pager, unless told not to', async () => {
    const paged: string[] = [];
    const page = async (text: string) => paged.push(text) > 0;
    const ran = await rigWith(DIFF, page).run('task', 'diff', 'task1');
    expect(ran.stdout).toBe('');
    expect(paged.join('')).toContain('Untracked:\n d.txt | 1 +\n');
    const printed = await rigWith(DIFF, page).run('task', 'diff', 'task1', '--no-pager');
    expect(printed.stdout).toContain('Untracked:');
    const json = await rigWith(DIFF, page).run('task', 'diff', 'task1', '--json');
    expect(json.stdout).toContain('everything');
    expect(paged).toHaveLength(1);
  });

  it('says so when there is nothing', async () => {
    const ran = await rigWith({ all: '', parts: [], commits: [], commitCount: 0 }).run(
      'task',
      'diff',
      'task1',
    );
    expect(ran).toMatchObject({ exitCode: 0, stdout: '' });
    expect(ran.stderr).toContain('Nothing changed since main');
  });

  it('says so when there is nothing in the files that were named', async () => {
    const none = { all: '', parts: [], commits: [], commitCount: 0 };
    const ran = await rigWith(none).run('task', 'diff', 'task1', 'a.txt', 'b.txt');
    expect(ran.stderr).toContain('Nothing changed in a.txt, b.txt since main');
  });

  it('names the commit that the work of a merged task became', async () => {
    const rig = cliRig({
      snapshot: snapshotOf(
        [taskView({ fields: { id: 'task1', status: 'done' } })],
        [projectView()],
      ),
      repositories: { diff: async () => failed({ kind: 'branch-missing', branch: 'one' }) },
    });
    const file = createPaths(rig.home).historyFile('shop', 'task1');
    mkdirSync(dirname(file), { recursive: true });
    const merged = { type: 'task.merged', timestamp: '2026-01-02T11:00:00Z', commit: 'c0ffee00' };
    writeFileSync(file, `${JSON.stringify(merged)}\n`);
    const { stderr } = await rig.run('task', 'diff', 'task1');
    expect(stderr).toContain('git show --first-parent c0ffee00');
  });

  it.each([
    ['done', 'git show --first-parent refs/orange/merged/task1'],
    ['pending', 'Start the task'],
  ] as const)('says what helps when the branch of a %s task is missing', async (status, hint) => {
    const rig = cliRig({
      snapshot: snapshotOf([taskView({ fields: { id: 'task1', status } })], [projectView()]),
      repositories: { diff: async () => failed({ kind: 'branch-missing', branch: 'one' }) },
    });
    expect((await rig.run('task', 'diff', 'task1')).stderr).toContain(hint);
  });
});
