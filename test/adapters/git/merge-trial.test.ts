import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DONE, failed, type Result } from '../../../src/domain/result.js';
import type { Trial } from '../../../src/domain/merge-request.js';
import { failure, GitRig, TASK, value } from './git-rig.js';

const REFUSED = failed({ kind: 'unsupported', what: 'no', instead: '' });

async function working(): Promise<GitRig> {
  const rig = new GitRig();
  rig.withCommit();
  await rig.bind();
  rig.commit(rig.worktree, { 'new.txt': '1\n' });
  return rig;
}

function trialOf(rig: GitRig, run: (directory: string) => Promise<Result<void>> | Result<void>) {
  const trial: Trial = {
    directory: join(rig.root, 'trials', TASK),
    run: async (directory) => run(directory),
    onLeft: (left) => expect.unreachable(left.kind),
  };
  return trial;
}

function worktreesOf(rig: GitRig): readonly string[] {
  const listed = rig.git(rig.repository, 'worktree', 'list', '--porcelain').split('\n');
  return listed.flatMap((line) => (line.startsWith('worktree ') ? [line.slice(9)] : []));
}

it('checks see the result of the merge in a checkout of their own, which is gone afterwards', async () => {
  await using rig = await working();
  rig.commit(rig.repository, { 'base.txt': '1\n' });
  rig.write(join(rig.repository, '.env'), 'KEY=1\n');
  rig.write(join(rig.root, 'outside'), 'x');
  const seen: Record<string, unknown>[] = [];
  const copies: string[] = [];
  const trial = trialOf(rig, (directory) => {
    seen.push({
      base: rig.read(directory, 'base.txt'),
      work: rig.read(directory, 'new.txt'),
      branch: rig.tryGit(directory, 'symbolic-ref', '-q', 'HEAD'),
      result: rig.head(directory),
    });
    copies.push(rig.read(directory, '.env'));
    rig.write(join(directory, 'ignored/left'), 'x');
    rig.write(join(directory, 'untracked'), 'x');
    return DONE;
  });
  const copy = ['.env', 'a.txt', '../outside'];
  const request = rig.mergeRequest({ trial: { ...trial, copy } });
  const { commit } = value(await rig.repositories.merge(request));
  expect(copies).toEqual(['KEY=1\n']);
  expect(rig.events.filter(({ event }) => event === 'pool.not-copied')).toHaveLength(2);
  expect(seen).toEqual([{ base: '1\n', work: '1\n', branch: 1, result: commit }]);
  expect(existsSync(trial.directory)).toBe(false);
  expect(worktreesOf(rig)).toEqual([rig.repository, rig.worktree]);
  expect(rig.status(rig.repository)).toBe('');
});

it('a result that does not pass moves nothing and leaves nothing', async () => {
  await using rig = await working();
  const main = rig.head(rig.repository, 'main');
  const trial = trialOf(rig, () => REFUSED);
  expect(failure(await rig.repositories.merge(rig.mergeRequest({ trial })))).toMatchObject({
    kind: 'unsupported',
  });
  expect(rig.head(rig.repository, 'main')).toBe(main);
  expect(rig.git(rig.repository, 'for-each-ref', 'refs/orange')).toBe('');
  expect(worktreesOf(rig)).toEqual([rig.repository, rig.worktree]);
});

it('a base that moves while the checks run has the new result checked, never the old one merged', async () => {
  await using rig = await working();
  const bases: string[] = [];
  const trial = trialOf(rig, (directory) => {
    bases.push(rig.git(directory, 'log', '-1', '--format=%s', 'HEAD^'));
    if (bases.length === 1) rig.commit(rig.repository, { moved: '1' }, 'moved');
    return DONE;
  });
  const { commit } = value(await rig.repositories.merge(rig.mergeRequest({ trial })));
  expect(bases).toEqual(['change', 'moved']);
  expect(rig.head(rig.repository, 'main')).toBe(commit);
  expect(rig.read(rig.repository, 'moved')).toBe('1');
});

it.each([
  ['an edit', (rig: GitRig) => rig.write(join(rig.repository, 'a.txt'), 'mine\n')],
  [
    'an untracked file in the way',
    (rig: GitRig) => rig.write(join(rig.repository, 'new.txt'), 'mine\n'),
  ],
  [
    'an edit in another worktree that has the base',
    (rig: GitRig) => {
      rig.git(rig.repository, 'checkout', '-qb', 'elsewhere');
      rig.git(rig.repository, 'worktree', 'add', '-q', join(rig.root, 'other'), 'main');
      rig.write(join(rig.root, 'other/a.txt'), 'mine\n');
    },
  ],
])(
  '%s refuses the merge before its checks are run, and no result is kept',
  async (_name, disturb) => {
    await using rig = await working();
    disturb(rig);
    const main = rig.head(rig.repository, 'main');
    let runs = 0;
    const trial = trialOf(rig, () => {
      runs += 1;
      return DONE;
    });
    expect(failure(await rig.repositories.merge(rig.mergeRequest({ trial })))).toMatchObject({
      kind: 'merge-refused',
      reason: 'dirty-checkout',
    });
    expect(runs).toBe(0);
    expect(rig.head(rig.repository, 'main')).toBe(main);
    expect(rig.git(rig.repository, 'for-each-ref', 'refs/orange')).toBe('');
  },
);

it('a checkout that a person edits while the checks run is refused after them, and the result kept', async () => {
  await using rig = await working();
  const trial = trialOf(rig, () => {
    rig.write(join(rig.repository, 'a.txt'), 'mine\n');
    return DONE;
  });
  expect(failure(await rig.repositories.merge(rig.mergeRequest({ trial })))).toMatchObject({
    reason: 'dirty-checkout',
    where: rig.repository,
  });
  expect(rig.read(rig.repository, 'a.txt')).toBe('mine\n');
  expect(rig.stored(`refs/orange/merged/${TASK}`, 'new.txt').toString()).toBe('1\n');
});

it('a conflict is told although the checkout has changes', async () => {
  await using rig = await working();
  rig.commit(rig.worktree, { 'a.txt': 'theirs\n' });
  rig.commit(rig.repository, { 'a.txt': 'ours\n' });
  rig.write(join(rig.repository, 'a.txt'), 'mine\n');
  const trial = trialOf(rig, () => DONE);
  expect(failure(await rig.repositories.merge(rig.mergeRequest({ trial })))).toMatchObject({
    kind: 'merge-conflict',
  });
});

it('a link to a folder that becomes a folder of its own is in nobody’s way', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  symlinkSync('dir', join(rig.repository, 'link'));
  rig.git(rig.repository, 'add', '-A');
  rig.git(rig.repository, 'commit', '-qm', 'link');
  await rig.bind();
  rmSync(join(rig.worktree, 'link'));
  rig.commit(rig.worktree, { 'link/b.txt': 'own\n' });
  const trial = trialOf(rig, () => DONE);
  value(await rig.repositories.merge(rig.mergeRequest({ trial })));
  expect(rig.read(rig.repository, 'link/b.txt')).toBe('own\n');
  expect(rig.read(rig.repository, 'dir/b.txt')).toBe('two\n');
  expect(rig.status(rig.repository)).toBe('');
});

it("a file that a sparse checkout leaves out is in nobody's way", async () => {
  await using rig = await working();
  rig.commit(rig.worktree, { 'out/new.txt': '1\n' });
  rig.git(rig.repository, 'sparse-checkout', 'set', 'dir');
  rig.write(join(rig.repository, 'out/new.txt'), 'mine\n');
  const trial = trialOf(rig, () => DONE);
  const { commit } = value(await rig.repositories.merge(rig.mergeRequest({ trial })));
  expect(rig.head(rig.repository, 'main')).toBe(commit);
  expect(rig.read(rig.repository, 'out/new.txt')).toBe('mine\n');
});

it('two merges at once are checked one after the other, the second on top of the first', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  const running = new Set<number>();
  const seen: number[] = [];
  const merges = [1, 2].map(async (number) => {
    const worktree = join(rig.root, `workspaces/project--${number}`);
    await rig.bind({ worktree, branch: `feat/${number}` });
    rig.commit(worktree, { [`n${number}`]: '1' });
    const directory = join(rig.root, `trials/${number}`);
    return rig.mergeRequest({
      worktree,
      branch: `feat/${number}`,
      taskId: `task${number}`,
      trial: {
        directory,
        onLeft: (left) => expect.unreachable(left.kind),
        run: async (place) => {
          running.add(number);
          expect(running.size).toBe(1);
          seen.push([1, 2].filter((each) => rig.exists(place, `n${each}`)).length);
          // Another step of the same repository goes on meanwhile.
          value(await rig.repositories.inspect(rig.repository));
          await rig.repositories.markReviewed({
            repository: rig.repository,
            branch: 'main',
            taskId: 'other',
          });
          running.delete(number);
          return DONE;
        },
      },
    });
  });
  const requests = await Promise.all(merges);
  const merged = await Promise.all(requests.map((each) => rig.repositories.merge(each)));
  expect(merged.filter((result) => !result.ok)).toEqual([]);
  expect(seen).toEqual([1, 2]);
});

it('what a trial that was killed left is removed before the next one, and on request', async () => {
  await using rig = await working();
  const trial = trialOf(rig, (directory) => {
    expect(rig.exists(directory, 'remains')).toBe(false);
    return DONE;
  });
  const leave = (): void => {
    rig.git(rig.repository, 'worktree', 'add', '-q', '--detach', trial.directory, 'main');
    rig.write(join(trial.directory, 'remains'), 'x');
  };
  leave();
  value(await rig.repositories.merge(rig.mergeRequest({ trial })));
  leave();
  value(await rig.repositories.clearTrial(rig.repository, trial.directory));
  value(await rig.repositories.clearTrial(rig.repository, trial.directory));
  expect(existsSync(trial.directory)).toBe(false);
  expect(worktreesOf(rig)).toEqual([rig.repository, rig.worktree]);
});

it('a branch that moved after the verdict is merged only by somebody who says so', async () => {
  await using rig = await working();
  const { repository } = rig;
  value(await rig.repositories.markReviewed({ repository, branch: 'feat', taskId: TASK }));
  rig.commit(rig.worktree, { late: '1' });
  expect(failure(await rig.repositories.merge(rig.mergeRequest()))).toMatchObject({
    kind: 'merge-refused',
    reason: 'head-moved',
  });
  expect(rig.exists(repository, 'late')).toBe(false);
  value(await rig.repositories.merge(rig.mergeRequest({ heads: 'any' })));
  expect(rig.exists(repository, 'late')).toBe(true);
  for (let times = 0; times < 2; times += 1)
    value(await rig.repositories.dropReviewed(repository, TASK));
  expect(
    rig.tryGit(repository, 'rev-parse', '-q', '--verify', `refs/orange/reviewed/${TASK}`),
  ).toBe(1);
});

it('a branch that moves while the checks run is not merged as it was', async () => {
  await using rig = await working();
  const { repository } = rig;
  value(await rig.repositories.markReviewed({ repository, branch: 'feat', taskId: TASK }));
  const trial = trialOf(rig, () => {
    rig.commit(rig.worktree, { late: '1' });
    return DONE;
  });
  expect(failure(await rig.repositories.merge(rig.mergeRequest({ trial })))).toMatchObject({
    reason: 'head-moved',
  });
  expect(rig.exists(repository, 'new.txt')).toBe(false);
});

it('an examination tells what a merge would be like, has it tried, and moves nothing', async () => {
  await using rig = await working();
  const main = rig.commit(rig.repository, { 'base.txt': '1\n' });
  let tried = 0;
  const trial = trialOf(rig, (directory) => {
    tried += Number(rig.exists(directory, 'base.txt') && rig.exists(directory, 'new.txt'));
    return DONE;
  });
  expect(value(await rig.repositories.examine(rig.mergeRequest({ trial })))).toEqual({
    head: rig.head(rig.worktree),
    base: main,
    behind: 1,
    files: 1,
    lines: 1,
    conflicts: [],
    merged: [],
  });
  expect(tried).toBe(1);
  rig.commit(rig.worktree, { 'a.txt': 'theirs\n' });
  rig.commit(rig.repository, { 'a.txt': 'ours\n' });
  const conflicting = value(await rig.repositories.examine(rig.mergeRequest({ trial })));
  expect(conflicting.conflicts).toEqual([{ file: 'a.txt', type: 'contents' }]);
  expect(tried).toBe(1);
  expect(rig.git(rig.repository, 'for-each-ref', 'refs/orange')).toBe('');
  expect(rig.status(rig.repository)).toBe('');
});

it('an examination is of the merge that would be made', async () => {
  await using rig = await working();
  rig.commit(rig.worktree, { 'a.txt': 'detour\n' });
  rig.commit(rig.worktree, { 'a.txt': 'one\nours\n' });
  rig.commit(rig.repository, { 'a.txt': 'one\nours\n' });
  const examine = (strategy: 'squash' | 'rebase' | 'ff') =>
    rig.repositories.examine(rig.mergeRequest({ strategy }));
  expect(value(await examine('squash')).conflicts).toEqual([]);
  expect(value(await examine('rebase')).conflicts).toEqual([{ file: 'a.txt', type: 'rebase' }]);
  expect(failure(await examine('ff'))).toMatchObject({ reason: 'not-fast-forward' });
});
