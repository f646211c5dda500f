import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createDiskFiles } from '../../src/adapters/disk-files.js';
import { describeFailure } from '../../src/domain/describe-failure.js';
import { prepareWorktree } from '../../src/execute/prepare-worktree.js';
import { failure, GitRig, value } from '../adapters/git/git-rig.js';
import { buildTaskIn, TASK_ID } from '../builders/task.js';
import { buildProject, buildSettings } from '../builders/world.js';

/** A task that has had its worktree for a while, with one commit of its own. */
class BoundRig extends GitRig {
  readonly link = join(this.worktree, 'TASK.md');
  readonly taskFile = join(this.root, 'TASK.md');
  tip = '';

  async bound(): Promise<this> {
    this.withCommit();
    writeFileSync(this.taskFile, 'words\n');
    value(await this.repositories.bind(this.bindRequest()));
    this.tip = this.commit(this.worktree, { 'work.txt': 'done\n' });
    symlinkSync(this.taskFile, this.link);
    return this;
  }

  /** Its agent is started once more. */
  start() {
    const { repository, worktree, root, taskFile, repositories } = this;
    const effect = {
      kind: 'start-agent',
      taskId: TASK_ID,
      role: 'worker',
      window: 'worker',
      launchId: 'l2',
      workspace: 'shop--1',
      session: 'shop/feat',
      needsBinding: false,
      isResuming: true,
      message: null,
    } as const;
    const parts = {
      home: root,
      daemonEnv: {},
      files: createDiskFiles(),
      repositories,
      poolOf: () => buildSettings().pool,
      setupLog: () => join(root, 'setup.log'),
      taskFile: () => taskFile,
      tellStep: () => undefined,
      whileWanted: async <T>(_id: string, work: (signal: AbortSignal) => Promise<T>) =>
        work(new AbortController().signal),
      workspacePath: () => worktree,
    };
    const task = buildTaskIn('working', { fields: { branch: 'feat' } });
    const project = buildProject({ path: repository, default_branch: 'main' });
    return prepareWorktree(parts, effect, { task, project, isFirst: false });
  }

  get branch(): string {
    return this.git(this.worktree, 'branch', '--show-current');
  }
}

it('a worktree that was deleted is made again, on its branch', async () => {
  await using rig = await new BoundRig().bound();
  rmSync(rig.worktree, { recursive: true });
  value(await rig.start());
  expect([rig.branch, rig.head(rig.worktree)]).toEqual(['feat', rig.tip]);
  expect(existsSync(rig.link)).toBe(true);
});

it('a worktree whose making was cut off is put on its branch (F40)', async () => {
  await using rig = await new BoundRig().bound();
  rmSync(rig.worktree, { recursive: true });
  const { repository, worktree } = rig;
  value(await rig.repositories.ensureWorktree({ repository, worktree, defaultBranch: 'main' }));
  expect(rig.branch).toBe('');
  value(await rig.start());
  expect([rig.branch, rig.head(rig.worktree)]).toEqual(['feat', rig.tip]);
  expect(existsSync(rig.link)).toBe(true);
});

it('a worktree in which an agent went elsewhere is left as it is', async () => {
  await using rig = await new BoundRig().bound();
  rig.git(rig.worktree, 'checkout', '-q', '--detach', 'main');
  value(await rig.start());
  expect(rig.branch).toBe('');
  rmSync(rig.link);
  writeFileSync(join(rig.worktree, 'more.txt'), 'not committed\n');
  value(await rig.start());
  expect(rig.branch).toBe('');
  expect(existsSync(join(rig.worktree, 'more.txt'))).toBe(true);
});

it('commits that an agent made on no branch stay checked out', async () => {
  await using rig = await new BoundRig().bound();
  rig.git(rig.worktree, 'checkout', '-q', '--detach');
  const own = rig.commit(rig.worktree, { 'own.txt': 'mine\n' });
  rmSync(rig.link);
  value(await rig.start());
  expect([rig.branch, rig.head(rig.worktree)]).toEqual(['', own]);
  expect(existsSync(rig.link)).toBe(true);
});

it('F46 a worktree that lacks only its .git gets it back, and all that is in it stays', async () => {
  await using rig = await new BoundRig().bound();
  writeFileSync(join(rig.worktree, 'more.txt'), 'not committed\n');
  rig.git(rig.worktree, 'add', 'more.txt');
  rmSync(join(rig.worktree, '.git'));
  value(await rig.start());
  expect([rig.branch, rig.head(rig.worktree)]).toEqual(['feat', rig.tip]);
  expect(rig.status(rig.worktree)).toBe('A  more.txt');
  expect(rig.events).toContainEqual(expect.objectContaining({ event: 'git.pointer-restored' }));
});

it.each<[string, (rig: BoundRig) => void]>([
  ['git has no record of', () => undefined],
  ['an outer repository encloses', (rig) => rig.git(rig.root, 'init', '-q')],
])('F46 no agent is started in a folder that is no worktree and that %s', async (_, arrange) => {
  await using rig = await new BoundRig().bound();
  rmSync(join(rig.worktree, '.git'));
  rig.git(rig.repository, 'worktree', 'prune', '--expire=now');
  arrange(rig);
  const refused = failure(await rig.start());
  expect(refused).toMatchObject({ kind: 'worktree-unusable', workspace: rig.worktree });
  expect(describeFailure(refused).message).toBe(
    `Worktree ${rig.worktree} cannot be used: it is not a worktree; it is left as it is: move it away, and the next start makes the worktree again.`,
  );
  expect(rig.read(rig.worktree, 'work.txt')).toBe('done\n');
});

it('F46 no agent is started in a copy of another worktree', async () => {
  await using rig = await new BoundRig().bound();
  const other = join(rig.root, 'workspaces', 'project--2');
  value(await rig.repositories.bind(rig.bindRequest({ worktree: other, branch: 'other' })));
  writeFileSync(join(rig.worktree, '.git'), rig.read(other, '.git'));
  expect(failure(await rig.start())).toMatchObject({
    kind: 'worktree-unusable',
    reason: expect.stringContaining(`its .git is that of ${other}`),
  });
});

it('F46 no agent is started where something else took the place of a worktree that was moved', async () => {
  await using rig = await new BoundRig().bound();
  renameSync(rig.worktree, join(rig.root, 'elsewhere'));
  rig.write(join(rig.worktree, 'mine.txt'), 'mine\n');
  expect(failure(await rig.start())).toMatchObject({ kind: 'worktree-unusable' });
  expect(rig.exists(rig.worktree, '.git')).toBe(false);
});

it('F46 a folder with nothing but the link of the task is a worktree that was deleted', async () => {
  await using rig = await new BoundRig().bound();
  rmSync(rig.worktree, { recursive: true });
  mkdirSync(rig.worktree);
  symlinkSync(rig.taskFile, rig.link);
  value(await rig.start());
  expect([rig.branch, rig.head(rig.worktree)]).toEqual(['feat', rig.tip]);
  expect(existsSync(rig.link)).toBe(true);
});

it('an empty folder is a worktree that was deleted', async () => {
  await using rig = await new BoundRig().bound();
  rmSync(rig.worktree, { recursive: true });
  mkdirSync(rig.worktree);
  value(await rig.start());
  expect([rig.branch, rig.head(rig.worktree)]).toEqual(['feat', rig.tip]);
});

it('whether a worktree is one is seen by its files alone', async () => {
  await using rig = await new BoundRig().bound();
  const calls = join(rig.root, 'calls');
  const repositories = rig.createRepositories(rig.withGitLike(`echo "$*" >> ${calls}`));
  const { repository, worktree } = rig;
  // The first look at a repository asks git where it is.
  value(await repositories.verifyWorktree({ repository, worktree }));
  writeFileSync(calls, '');
  expect(value(await repositories.verifyWorktree({ repository, worktree }))).toBe('there');
  expect(rig.read(calls)).toBe('');
});
