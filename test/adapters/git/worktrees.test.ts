import { mkdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { failure, GitRig, TASK, value } from './git-rig.js';

it('ORA-5 a worktree lives where the pool wants it, detached on the base, and belongs to the project', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  value(await rig.repositories.ensureWorktree(rig.bindRequest()));
  value(await rig.repositories.ensureWorktree(rig.bindRequest()));
  expect(rig.git(rig.worktree, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('HEAD');
  expect(rig.status(rig.worktree)).toBe('');
  expect(value(await rig.repositories.listWorktrees(rig.repository))).toEqual([
    { path: rig.repository, branch: 'main' },
    { path: rig.worktree, branch: null },
  ]);
});

it('a worktree in a home that is reached through a link works and comes back after it was deleted', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  mkdirSync(join(rig.root, 'real'));
  symlinkSync(join(rig.root, 'real'), join(rig.root, 'home-link'));
  const worktree = join(rig.root, 'home-link', 'workspaces', 'project--1');
  await rig.bind({ worktree });
  value(await rig.release(worktree));
  rmSync(worktree, { recursive: true });
  await rig.bind({ worktree });
  expect(rig.git(worktree, 'branch', '--show-current')).toBe('feat');
});

it('a directory that is something else is never touched', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  rig.write(join(rig.worktree, 'precious'), 'x');
  expect(failure(await rig.repositories.ensureWorktree(rig.bindRequest()))).toMatchObject({
    kind: 'worktree-unusable',
  });
  expect(failure(await rig.repositories.bind(rig.bindRequest()))).toMatchObject({
    kind: 'worktree-unusable',
  });
  expect(failure(await rig.release())).toMatchObject({ kind: 'worktree-unusable' });
  expect(rig.read(rig.worktree, 'precious')).toBe('x');
});

it("neither the main checkout nor another repository's worktree is ever reset", async () => {
  await using rig = new GitRig();
  rig.withCommit();
  rig.write(join(rig.repository, 'a.txt'), 'edited');
  expect(failure(await rig.release(rig.repository))).toMatchObject({ kind: 'worktree-unusable' });
  expect(rig.read(rig.repository, 'a.txt')).toBe('edited');
  await using other = new GitRig();
  other.withCommit();
  await other.bind();
  expect(failure(await rig.release(other.worktree))).toMatchObject({ kind: 'worktree-unusable' });
  expect(other.git(other.worktree, 'branch', '--show-current')).toBe('feat');
});

it('F46 a worktree that was deleted by hand is made again, and other missing ones are left alone', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  const theirs = join(rig.root, 'usb-stick');
  rig.git(rig.repository, 'worktree', 'add', '-q', '-b', 'theirs', theirs);
  await rig.bind();
  rig.commit(rig.worktree, { n: '1' });
  rig.git(rig.worktree, 'checkout', '-q', '--detach');
  const lost = rig.commit(rig.worktree, { n: '2' });
  rmSync(rig.worktree, { recursive: true });
  rmSync(theirs, { recursive: true });
  const { salvageRef } = value(await rig.release());
  expect(rig.head(rig.repository, salvageRef ?? '')).toBe(lost);
  value(await rig.repositories.ensureWorktree(rig.bindRequest()));
  expect(rig.status(rig.worktree)).toBe('');
  expect(rig.git(rig.repository, 'worktree', 'list')).toContain('usb-stick');
});

it('binding makes the branch, hides TASK.md once, and a repeat changes nothing', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  const head = await rig.bind();
  expect(head).toBe(rig.head(rig.repository, 'main'));
  rig.write(join(rig.worktree, 'a.txt'), 'half done');
  const after = rig.commit(rig.worktree, {}, 'by agent');
  rig.write(join(rig.worktree, 'a.txt'), 'more');
  expect(await rig.bind()).toBe(after);
  expect(rig.read(rig.worktree, 'a.txt')).toBe('more');
  expect(rig.status(rig.worktree)).toBe('M a.txt');
  const exclude = rig.read(rig.repository, '.git/info/exclude');
  expect(exclude.split('\n').filter((line) => line === '/TASK.md')).toHaveLength(1);
  expect(rig.tryGit(rig.repository, 'config', 'branch.feat.remote')).toBe(1);
});

it('a repeat in the middle of a rebase of that branch changes nothing', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  await rig.bind();
  rig.commit(rig.worktree, { 'a.txt': 'theirs\n' });
  rig.commit(rig.repository, { 'a.txt': 'ours\n' });
  expect(rig.tryGit(rig.worktree, 'rebase', 'main')).not.toBe(0);
  const before = rig.status(rig.worktree);
  await rig.bind();
  expect(rig.status(rig.worktree)).toBe(before);
  expect(value(await rig.repositories.branchCheckedOutAt(rig.repository, 'feat'))).toBe(
    rig.worktree,
  );
});

it('an existing branch is continued, and one at the remote is started from', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  const remote = rig.withRemote();
  rig.git(rig.repository, 'checkout', '-qb', 'old');
  const old = rig.commit(rig.repository, { old: '1' });
  rig.git(rig.repository, 'checkout', '-q', 'main');
  expect(await rig.bind({ branch: 'old' })).toBe(old);
  value(await rig.release());
  const shared = rig.pushFromElsewhere(remote, 'shared', { shared: '1' });
  expect(await rig.bind({ branch: 'shared' })).toBe(shared);
  expect(rig.head(rig.repository, 'refs/heads/shared')).toBe(shared);
});

it('work starts from whichever of the local and the remote default branch is further', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  const remote = rig.withRemote();
  const upstream = rig.pushFromElsewhere(remote, 'main', { up: '1' });
  expect(await rig.bind({ branch: 'one' })).toBe(upstream);
  value(await rig.release());
  rig.git(rig.repository, 'pull', '-q', '--ff-only', 'origin', 'main');
  const local = rig.commit(rig.repository, { local: '1' });
  expect(await rig.bind({ branch: 'two' })).toBe(local);
});

it('a base of its own is started from, and a missing one is named', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  rig.git(rig.repository, 'checkout', '-qb', 'release-1');
  const base = rig.commit(rig.repository, { r: '1' });
  rig.git(rig.repository, 'checkout', '-q', 'main');
  expect(await rig.bind({ base: 'release-1' })).toBe(base);
  const other = rig.bindRequest({ worktree: `${rig.worktree}2`, branch: 'x', base: 'nope' });
  expect(failure(await rig.repositories.bind(other))).toEqual({
    kind: 'base-missing',
    base: 'nope',
  });
});

it('F44 a branch that is checked out elsewhere is refused, naming where', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  rig.git(rig.repository, 'checkout', '-qb', 'feat');
  const expected = { kind: 'branch-in-use', branch: 'feat', where: rig.repository };
  expect(failure(await rig.repositories.bind(rig.bindRequest()))).toEqual(expected);
  expect(value(await rig.repositories.branchCheckedOutAt(rig.repository, 'feat'))).toBe(
    rig.repository,
  );
  expect(value(await rig.repositories.branchCheckedOutAt(rig.repository, 'main'))).toBe(null);
  rig.commit(rig.repository, { 'a.txt': 'x\n' });
  rig.git(rig.repository, 'checkout', '-q', 'main');
  rig.commit(rig.repository, { 'a.txt': 'y\n' });
  rig.git(rig.repository, 'checkout', '-q', 'feat');
  expect(rig.tryGit(rig.repository, 'rebase', 'main')).not.toBe(0);
  expect(failure(await rig.repositories.bind(rig.bindRequest()))).toEqual(expected);
});

it('F50 twenty binds at once on one repository all succeed, each on its own branch', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  rig.withRemote();
  const numbers = Array.from({ length: 20 }, (_, index) => index + 1);
  const bound = await Promise.all(
    numbers.map((number) =>
      rig.repositories.bind(
        rig.bindRequest({
          worktree: join(rig.root, `workspaces/project--${number}`),
          branch: `feat/${number}`,
        }),
      ),
    ),
  );
  expect(bound.filter((result) => !result.ok)).toEqual([]);
  const branches = value(await rig.repositories.listWorktrees(rig.repository)).map(
    ({ branch }) => branch,
  );
  expect(new Set(branches)).toEqual(
    new Set(['main', ...numbers.map((number) => `feat/${number}`)]),
  );
});

it('F43 of several binds of one branch at once exactly one gets it', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  const bound = await Promise.all(
    [1, 2, 3, 4].map((number) =>
      rig.repositories.bind(
        rig.bindRequest({ worktree: join(rig.root, `workspaces/project--${number}`) }),
      ),
    ),
  );
  expect(bound.filter((result) => result.ok)).toHaveLength(1);
  const refusals = bound.flatMap((result) => (result.ok ? [] : [result.failure.kind]));
  expect(new Set(refusals)).toEqual(new Set(['branch-in-use']));
});

it('F49 an offline remote is a note in the log, not a failure', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  rig.git(rig.repository, 'remote', 'add', 'origin', join(rig.root, 'gone.git'));
  await rig.bind();
  expect(rig.events.map(({ event }) => event)).toContain('git.fetch-failed');
});

it('F49 a remote that would ask for a password is not waited for', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  const { createServer } = await import('node:http');
  const server = createServer((_request, response) => {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  rig.git(rig.repository, 'remote', 'add', 'origin', `http://127.0.0.1:${port}/x.git`);
  await rig.bind();
  server.close();
  expect(rig.events.map(({ event }) => event)).toContain('git.fetch-failed');
});

it('F49 shallow and bare clones work', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  rig.commit(rig.repository, { c: '1' });
  const remote = rig.withRemote();
  const shallow = join(rig.root, 'shallow');
  rig.git(rig.root, 'clone', '-q', '--depth=1', `file://${remote}`, shallow);
  await rig.bind({ repository: shallow, worktree: join(rig.root, 'w/1') });
  const bare = join(rig.root, 'bare.git');
  rig.git(rig.root, 'clone', '-q', '--bare', remote, bare);
  const newer = rig.pushFromElsewhere(remote, 'main', { d: '1' });
  const worktree = join(rig.root, 'w/2');
  expect(await rig.bind({ repository: bare, worktree })).toBe(newer);
  rig.commit(worktree, { e: '1' });
  const merged = await rig.repositories.merge(rig.mergeRequest({ repository: bare, worktree }));
  expect(rig.head(bare, 'main')).toBe(value(merged).commit);
  const diff = { repository: bare, worktree, branch: 'feat', base: 'main', form: 'full' as const };
  expect((await rig.repositories.diff(diff)).ok).toBe(true);
});

it('F45 a lock that a killed git left behind is removed once it is old and nobody holds it', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  await rig.bind();
  rig.write(join(rig.worktree, 'a.txt'), 'work');
  const lock = join(rig.repository, '.git/worktrees/project--1/index.lock');
  rig.write(lock, '');
  utimesSync(lock, Date.now() / 1000 - 60, Date.now() / 1000 - 60);
  const { salvageRef } = value(await rig.release());
  expect(rig.stored(salvageRef ?? '', 'a.txt').toString()).toBe('work');
  expect(rig.status(rig.worktree)).toBe('');
  expect(rig.events.map(({ event }) => event)).toContain('git.stale-lock-removed');
});

it('F4 a worktree that a killed git left half made is finished', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  rig.git(rig.repository, 'worktree', 'add', '-q', '--no-checkout', '--detach', rig.worktree);
  const admin = join(rig.repository, '.git/worktrees/project--1');
  rig.write(join(admin, 'locked'), 'initializing');
  rig.write(join(admin, 'index.lock'), 'torn');
  utimesSync(join(admin, 'index.lock'), 1, 1);
  rig.write(join(rig.worktree, 'a.txt'), 'torn');
  value(await rig.repositories.ensureWorktree(rig.bindRequest()));
  expect(rig.status(rig.worktree)).toBe('');
  expect(rig.exists(admin, 'locked')).toBe(false);
});

it('F4 what a kill at the very start of a worktree leaves is made anew', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  rig.git(rig.repository, 'worktree', 'add', '-q', '--no-checkout', '--detach', rig.worktree);
  const admin = join(rig.repository, '.git/worktrees/project--1');
  rmSync(join(admin, 'HEAD'));
  rig.write(join(admin, 'locked'), 'initializing');
  value(await rig.repositories.ensureWorktree(rig.bindRequest()));
  expect(rig.status(rig.worktree)).toBe('');
});

it.each(['0'.repeat(40), 'ref: refs/heads/.invalid'])(
  'F4 a worktree whose HEAD says nothing yet, as a killed git left it, is finished: %s',
  async (head) => {
    await using rig = new GitRig();
    rig.withCommit();
    rig.git(rig.repository, 'worktree', 'add', '-q', '--no-checkout', '--detach', rig.worktree);
    const admin = join(rig.repository, '.git/worktrees/project--1');
    rig.write(join(admin, 'HEAD'), `${head}\n`);
    rig.write(join(admin, 'locked'), 'initializing');
    value(await rig.repositories.ensureWorktree(rig.bindRequest()));
    expect(rig.head(rig.worktree)).toBe(rig.head(rig.repository));
    expect(rig.git(rig.worktree, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('HEAD');
    expect(rig.status(rig.worktree)).toBe('');
  },
);

it('only an idle worktree can be removed', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  await rig.bind();
  const remove = () => rig.repositories.removeWorktree(rig.repository, rig.worktree);
  expect(failure(await remove())).toMatchObject({ kind: 'worktree-unusable' });
  value(await rig.release());
  rig.git(rig.worktree, 'commit', '-q', '--allow-empty', '-m', 'stray');
  expect(failure(await remove())).toMatchObject({ kind: 'worktree-unusable' });
  value(await rig.release());
  rig.write(join(rig.worktree, 'new'), 'x');
  expect(failure(await remove())).toMatchObject({ kind: 'worktree-unusable' });
  value(await rig.release());
  value(await remove());
  value(await remove());
  expect(rig.exists(rig.worktree)).toBe(false);
});

it("a project's own TASK.md is hidden while a task works and back afterwards", async () => {
  await using rig = new GitRig();
  rig.withCommit();
  rig.commit(rig.repository, { 'TASK.md': 'ours\n' });
  await rig.bind();
  expect(rig.status(rig.worktree)).toBe('');
  rig.commit(rig.worktree, { n: '1' });
  expect(rig.git(rig.worktree, 'show', '--format=', '--name-only')).toBe('n');
  value(await rig.release());
  expect(rig.read(rig.worktree, 'TASK.md')).toBe('ours\n');
  expect(rig.salvageRefs()).toEqual([]);
});

it('a branch is renamed where it is checked out, if the new name is free', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  await rig.bind();
  const rename = (to: string) =>
    rig.repositories.renameBranch({ repository: rig.repository, from: 'feat', to });
  expect(failure(await rename('main'))).toEqual({
    kind: 'branch-conflict',
    branch: 'main',
    with: 'main',
  });
  expect(failure(await rename('main/x'))).toMatchObject({ kind: 'branch-conflict' });
  expect(failure(await rename('-D'))).toMatchObject({ kind: 'branch-invalid' });
  value(await rename('better/name'));
  value(await rename('better/name'));
  expect(rig.git(rig.worktree, 'branch', '--show-current')).toBe('better/name');
  const missing = { repository: rig.repository, from: 'nope', to: 'other' };
  expect(failure(await rig.repositories.renameBranch(missing))).toEqual({
    kind: 'branch-missing',
    branch: 'nope',
  });
});

it('F51 deleting a merged branch keeps a tip that nothing else leads to, and spares a checked-out branch', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  await rig.bind();
  const tip = rig.commit(rig.worktree, { n: '1' });
  const request = { repository: rig.repository, branch: 'feat', taskId: TASK };
  const remove = () => rig.repositories.deleteMergedBranch(request);
  expect(failure(await remove())).toEqual({
    kind: 'branch-in-use',
    branch: 'feat',
    where: rig.worktree,
  });
  value(await rig.release());
  expect(rig.head(rig.repository, 'refs/heads/feat')).toBe(tip);
  value(await remove());
  value(await remove());
  expect(rig.salvageRefs()).toEqual([`refs/orange/salvage/${TASK}/1`]);
  expect(rig.head(rig.repository, `refs/orange/salvage/${TASK}/1`)).toBe(tip);
  const main = { ...request, branch: 'main' };
  expect(failure(await rig.repositories.deleteMergedBranch(main))).toMatchObject({
    kind: 'branch-in-use',
  });
});
