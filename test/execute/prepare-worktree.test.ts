import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createDiskFiles } from '../../src/adapters/disk-files.js';
import { prepareWorktree } from '../../src/execute/prepare-worktree.js';
import { GitRig, value } from '../adapters/git/git-rig.js';
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
