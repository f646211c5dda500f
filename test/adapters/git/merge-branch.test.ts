import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { failure, GitRig, TASK, value } from './git-rig.js';

const MERGED = `refs/orange/merged/${TASK}`;

/** A task branch with two commits; the person's checkout is on `main`. */
async function working(): Promise<GitRig> {
  const rig = new GitRig();
  rig.withCommit();
  await rig.bind();
  rig.commit(rig.worktree, { 'new.txt': '1\n' }, 'first');
  rig.git(rig.worktree, 'config', 'user.name', 'Robin');
  rig.commit(rig.worktree, { 'new.txt': '2\n' }, 'second');
  rig.git(rig.worktree, 'config', '--unset', 'user.name');
  return rig;
}

it('a squash is one commit by the author of the branch, and the clean checkout of the base follows', async () => {
  await using rig = await working();
  rig.write(join(rig.repository, 'untracked'), 'mine');
  const before = rig.head(rig.repository);
  const message = 'Add it\n\n# not a comment\nWhy.';
  const { commit } = value(await rig.repositories.merge(rig.mergeRequest({ message })));
  expect(rig.head(rig.repository, 'main')).toBe(commit);
  expect(rig.head(rig.repository, `${commit}^`)).toBe(before);
  expect(rig.read(rig.repository, 'new.txt')).toBe('2\n');
  expect(rig.status(rig.repository)).toBe('?? untracked');
  const shown = rig.git(rig.repository, 'log', '-1', '--format=%an/%cn/%B', commit);
  expect(shown).toBe(`Robin/Pat/${message}`);
});

it('a repeat after success gives the same commit, also without the branch', async () => {
  await using rig = await working();
  const { commit } = value(await rig.repositories.merge(rig.mergeRequest()));
  rig.commit(rig.repository, { 'new.txt': 'somebody went on\n' });
  expect(value(await rig.repositories.merge(rig.mergeRequest({ message: 'other' })))).toEqual({
    commit,
  });
  value(await rig.release());
  const request = { repository: rig.repository, branch: 'feat', taskId: TASK };
  value(await rig.repositories.deleteMergedBranch(request));
  expect(rig.salvageRefs()).toEqual([]);
  expect(value(await rig.repositories.merge(rig.mergeRequest({ worktree: null })))).toEqual({
    commit,
  });
});

it('new commits after a merge are merged again', async () => {
  await using rig = await working();
  const first = value(await rig.repositories.merge(rig.mergeRequest())).commit;
  rig.commit(rig.worktree, { 'more.txt': '3\n' });
  const second = value(await rig.repositories.merge(rig.mergeRequest())).commit;
  expect(second).not.toBe(first);
  expect(rig.read(rig.repository, 'more.txt')).toBe('3\n');
});

it('a base that nobody has checked out is moved', async () => {
  await using rig = await working();
  rig.git(rig.repository, 'checkout', '-qb', 'elsewhere');
  const { commit } = value(await rig.repositories.merge(rig.mergeRequest()));
  expect(rig.head(rig.repository, 'main')).toBe(commit);
  expect(rig.exists(rig.repository, 'new.txt')).toBe(false);
});

it('a base that is checked out in another worktree follows there', async () => {
  await using rig = await working();
  rig.git(rig.repository, 'checkout', '-qb', 'elsewhere');
  const other = join(rig.root, 'other');
  rig.git(rig.repository, 'worktree', 'add', '-q', other, 'main');
  value(await rig.repositories.merge(rig.mergeRequest()));
  expect(rig.read(other, 'new.txt')).toBe('2\n');
  expect(rig.status(other)).toBe('');
});

it.each([
  ['an edit', (rig: GitRig) => rig.write(join(rig.repository, 'a.txt'), 'mine\n')],
  [
    'a staged file',
    (rig: GitRig) => {
      rig.write(join(rig.repository, 'staged'), 'mine\n');
      rig.git(rig.repository, 'add', 'staged');
    },
  ],
  [
    'an untracked file in the way',
    (rig: GitRig) => rig.write(join(rig.repository, 'new.txt'), 'mine\n'),
  ],
  [
    'an ignored file in the way',
    (rig: GitRig) => {
      rig.write(join(rig.repository, '.git/info/exclude'), 'new.txt\n');
      rig.write(join(rig.repository, 'new.txt'), 'mine\n');
    },
  ],
  ['a lock', (rig: GitRig) => rig.write(join(rig.repository, '.git/index.lock'), '')],
])("%s in the person's checkout is left alone and the result kept", async (_name, disturb) => {
  await using rig = await working();
  disturb(rig);
  const before = rig.status(rig.repository);
  const main = rig.head(rig.repository, 'main');
  expect(failure(await rig.repositories.merge(rig.mergeRequest()))).toEqual({
    kind: 'merge-refused',
    base: 'main',
    reason: 'dirty-checkout',
    where: rig.repository,
  });
  expect(rig.status(rig.repository)).toBe(before);
  expect(rig.head(rig.repository, 'main')).toBe(main);
  expect(rig.stored(MERGED, 'new.txt').toString()).toBe('2\n');
  const kept = rig.head(rig.repository, MERGED);
  rmSync(join(rig.repository, '.git/index.lock'), { force: true });
  rig.git(rig.repository, 'reset', '-q', '--hard');
  rmSync(join(rig.repository, 'new.txt'), { force: true });
  expect(value(await rig.repositories.merge(rig.mergeRequest())).commit).toBe(kept);
});

it('the refs of a merge go once a branch has its result, and stay where it was taken back', async () => {
  await using rig = await working();
  const before = rig.head(rig.repository, 'main');
  value(await rig.repositories.merge(rig.mergeRequest()));
  const { repository } = rig;
  const request = { repository, taskId: TASK };
  const refs = (): string => rig.git(repository, 'for-each-ref', 'refs/orange');
  const kept = refs();
  expect(value(await rig.repositories.listMerges(repository))).toEqual([TASK]);
  rig.git(repository, 'reset', '-q', '--hard', before);
  expect(value(await rig.repositories.forgetMerge(request))).toBe('kept');
  expect(refs()).toBe(kept);
  rig.git(repository, 'reset', '-q', '--hard', MERGED);
  expect(value(await rig.repositories.forgetMerge(request))).toBe('forgotten');
  expect(refs()).toBe('');
  expect(value(await rig.repositories.forgetMerge(request))).toBe('kept');
  expect(value(await rig.repositories.listMerges(repository))).toEqual([]);
});

it('a merge that was killed after its result was kept goes on with the same commit', async () => {
  await using rig = await working();
  const before = rig.head(rig.repository, 'main');
  const { commit } = value(await rig.repositories.merge(rig.mergeRequest()));
  rig.git(rig.repository, 'reset', '-q', '--hard', before);
  expect(value(await rig.repositories.merge(rig.mergeRequest()))).toEqual({ commit });
  expect(rig.head(rig.repository, 'main')).toBe(commit);
});

it('a base that moves during the merge leads to one rebuild, one that keeps moving to a refusal', async () => {
  await using rig = await working();
  const shim = join(rig.root, 'bin/git');
  const times = join(rig.root, 'times');
  rig.write(times, '1');
  rig.write(
    shim,
    `#!/bin/sh
case "$*" in *merge-tree*)
  left=$(cat ${times})
  if [ "$left" -gt 0 ]; then
    echo $((left - 1)) > ${times}
    (cd ${rig.repository} && ${rig.gitProgram} commit -q --allow-empty -m moved)
  fi
esac
exec ${rig.gitProgram} "$@"
`,
  );
  chmodSync(shim, 0o755);
  const env = { ...rig.env, PATH: `${join(rig.root, 'bin')}:${rig.env['PATH']}` };
  const racing = rig.createRepositories(env);
  const { commit } = value(await racing.merge(rig.mergeRequest()));
  expect(rig.git(rig.repository, 'log', '-1', '--format=%s', `${commit}^`)).toBe('moved');
  rig.commit(rig.worktree, { 'more.txt': '1' });
  rig.write(times, '5');
  expect(failure(await racing.merge(rig.mergeRequest()))).toMatchObject({ reason: 'base-moved' });
  expect(rig.exists(rig.repository, 'more.txt')).toBe(false);
});

it('a conflict names the files and changes nothing', async () => {
  await using rig = await working();
  rig.commit(rig.worktree, { 'a.txt': 'theirs\n', 'dir/b.txt': 'theirs\n' });
  const main = rig.commit(rig.repository, { 'a.txt': 'ours\n', 'dir/b.txt': 'ours\n' });
  for (const strategy of ['squash', 'preserve', 'rebase'] as const) {
    expect(failure(await rig.repositories.merge(rig.mergeRequest({ strategy })))).toEqual({
      kind: 'merge-conflict',
      branch: 'feat',
      base: 'main',
      files: ['a.txt', 'dir/b.txt'],
      onto: main,
    });
  }
  expect(rig.head(rig.repository, 'main')).toBe(main);
  expect(rig.status(rig.repository)).toBe('');
  expect(rig.status(rig.worktree)).toBe('');
  expect(rig.tryGit(rig.repository, 'rev-parse', '--verify', '-q', MERGED)).toBe(1);
});

it.each([
  ['edited', 'uncommitted-work', (rig: GitRig) => rig.write(join(rig.worktree, 'a.txt'), 'x')],
  ['untracked', 'uncommitted-work', (rig: GitRig) => rig.write(join(rig.worktree, 'u'), 'x')],
  [
    'detached',
    'commits-elsewhere',
    (rig: GitRig) => {
      rig.git(rig.worktree, 'checkout', '-q', '--detach');
      rig.commit(rig.worktree, { u: 'x' });
    },
  ],
])('%s work in the worktree is not left behind: %s', async (_name, reason, disturb) => {
  await using rig = await working();
  disturb(rig);
  expect(failure(await rig.repositories.merge(rig.mergeRequest()))).toMatchObject({
    reason,
    where: rig.worktree,
  });
});

it('a branch with nothing of its own, and one that does not exist, are refused', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  await rig.bind();
  expect(failure(await rig.repositories.merge(rig.mergeRequest()))).toMatchObject({
    reason: 'nothing-to-merge',
  });
  const missing = rig.mergeRequest({ branch: 'nope', worktree: null });
  expect(failure(await rig.repositories.merge(missing))).toEqual({
    kind: 'branch-missing',
    branch: 'nope',
  });
  const baseless = rig.mergeRequest({ base: 'nope' });
  expect(failure(await rig.repositories.merge(baseless))).toEqual({
    kind: 'base-missing',
    base: 'nope',
  });
});

it('a fast-forward takes the branch as it is, or is refused', async () => {
  await using rig = await working();
  const tip = rig.head(rig.worktree);
  expect(value(await rig.repositories.merge(rig.mergeRequest({ strategy: 'ff' })))).toEqual({
    commit: tip,
  });
  expect(value(await rig.repositories.merge(rig.mergeRequest({ strategy: 'ff' })))).toEqual({
    commit: tip,
  });
  rig.commit(rig.worktree, { u: '1' });
  rig.commit(rig.repository, { v: '1' });
  expect(failure(await rig.repositories.merge(rig.mergeRequest({ strategy: 'ff' })))).toMatchObject(
    {
      reason: 'not-fast-forward',
    },
  );
});

it('preserve keeps the commits under a merge, rebase puts them on top', async () => {
  await using rig = await working();
  const tip = rig.head(rig.worktree);
  const base = rig.commit(rig.repository, { v: '1' });
  const preserved = value(
    await rig.repositories.merge(rig.mergeRequest({ strategy: 'preserve' })),
  ).commit;
  expect(rig.git(rig.repository, 'log', '-1', '--format=%P', preserved)).toBe(`${base} ${tip}`);
  rig.git(rig.repository, 'reset', '-q', '--hard', base);
  const rebased = value(
    await rig.repositories.merge(rig.mergeRequest({ strategy: 'rebase' })),
  ).commit;
  expect(rig.git(rig.repository, 'log', '--format=%an %s', `${base}..${rebased}`)).toBe(
    'Robin second\nPat first',
  );
  expect(rig.status(rig.repository)).toBe('');
});

it('a base that is merely behind the remote is brought forward with the merge', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  const remote = rig.withRemote();
  const upstream = rig.pushFromElsewhere(remote, 'main', { up: '1' });
  await rig.bind();
  rig.commit(rig.worktree, { n: '1' });
  const { commit } = value(await rig.repositories.merge(rig.mergeRequest({ push: true })));
  expect(rig.head(rig.repository, `${commit}^`)).toBe(upstream);
  expect(rig.git(rig.repository, 'show', '--format=', '--name-only', commit)).toBe('n');
  expect(rig.head(remote, 'main')).toBe(commit);
});

it('a failed push is reported, and a repeat pushes what is merged', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  const remote = rig.withRemote();
  await rig.bind();
  rig.commit(rig.worktree, { n: '1' });
  rig.write(join(remote, 'hooks/pre-receive'), '#!/bin/sh\nexit 1\n');
  chmodSync(join(remote, 'hooks/pre-receive'), 0o755);
  const refused = failure(await rig.repositories.merge(rig.mergeRequest({ push: true })));
  expect(refused).toMatchObject({ kind: 'command-failed', action: 'push' });
  const merged = rig.head(rig.repository, 'main');
  rmSync(join(remote, 'hooks/pre-receive'));
  expect(value(await rig.repositories.merge(rig.mergeRequest({ push: true }))).commit).toBe(merged);
  expect(rig.head(remote, 'main')).toBe(merged);
});

it('a signature that would need a passphrase is a refusal, not a wait; a working key signs', async () => {
  await using rig = await working();
  const gpg = join(rig.root, 'gpg');
  rig.write(gpg, '#!/bin/sh\nread -r _ < /dev/tty && exit 0\necho "no pinentry" >&2\nexit 2\n');
  chmodSync(gpg, 0o755);
  rig.git(rig.repository, 'config', '--global', 'commit.gpgSign', 'true');
  rig.git(rig.repository, 'config', '--global', 'gpg.program', gpg);
  const refused = await rig.repositories.merge(rig.mergeRequest());
  expect(failure(refused)).toEqual({
    kind: 'merge-refused',
    base: 'main',
    reason: 'signing-failed',
  });
  const key = join(rig.root, 'key');
  const { execFileSync } = await import('node:child_process');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  rig.git(rig.repository, 'config', '--global', 'gpg.format', 'ssh');
  rig.git(rig.repository, 'config', '--global', 'user.signingKey', `${key}.pub`);
  const { commit } = value(await rig.repositories.merge(rig.mergeRequest()));
  expect(rig.git(rig.repository, 'cat-file', 'commit', commit)).toContain('gpgsig -----BEGIN SSH');
});

it('merges of several branches at once all arrive', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  const numbers = [1, 2, 3];
  for (const number of numbers) {
    const worktree = join(rig.root, `workspaces/project--${number}`);
    await rig.bind({ worktree, branch: `feat/${number}` });
    rig.commit(worktree, { [`n${number}`]: '1' });
  }
  const merged = await Promise.all(
    numbers.map((number) =>
      rig.repositories.merge(
        rig.mergeRequest({
          worktree: join(rig.root, `workspaces/project--${number}`),
          branch: `feat/${number}`,
          taskId: `task${number}`,
        }),
      ),
    ),
  );
  expect(merged.filter((result) => !result.ok)).toEqual([]);
  expect(numbers.every((number) => rig.exists(rig.repository, `n${number}`))).toBe(true);
});

it('the difference tells commits from uncommitted work, without TASK.md and without touching anything', async () => {
  await using rig = await working();
  const { worktree } = rig;
  rig.write(join(worktree, 'staged.txt'), 'staged\n');
  rig.git(worktree, 'add', 'staged.txt');
  rig.write(join(worktree, 'a.txt'), 'changed\n');
  rig.write(join(worktree, 'loose.txt'), 'loose\n');
  rig.commit(rig.repository, { unrelated: '1' });
  rig.git(rig.repository, 'config', 'diff.noprefix', 'true');
  const request = { repository: rig.repository, worktree, branch: 'feat', base: 'main' };
  const before = rig.status(worktree);
  // The daemon may be saving this very work just now, through an index of its own.
  const index = join(rig.git(worktree, 'rev-parse', '--absolute-git-dir'), 'orange-index');
  rig.write(index, 'in use');
  const full = value(await rig.repositories.diff({ ...request, form: 'full' }));
  for (const text of ['+2', '+staged', '+changed', '+loose']) expect(full.all).toContain(text);
  expect(full.all).not.toMatch(/TASK\.md|unrelated/);
  expect(full.parts.map(({ text }) => text).join('\n')).not.toMatch(/TASK\.md|unrelated/);
  expect(full.parts.find(({ place }) => place === 'staged')?.text).toContain('+++ b/staged.txt');
  const names = value(await rig.repositories.diff({ ...request, form: 'names' }));
  expect(names.all).toBe('a.txt\nloose.txt\nnew.txt\nstaged.txt');
  expect(names.parts).toEqual([
    { place: 'committed', text: 'new.txt' },
    { place: 'staged', text: 'staged.txt' },
    { place: 'unstaged', text: 'a.txt' },
    { place: 'untracked', text: 'loose.txt' },
  ]);
  expect(names.commits.map((each) => each.replace(/^[0-9a-f]+ /, ''))).toEqual(['second', 'first']);
  const some = { ...request, form: 'names', paths: ['new.txt', '*', '../a.txt'] } as const;
  expect(value(await rig.repositories.diff(some)).all).toBe('new.txt');
  const stat = value(await rig.repositories.diff({ ...request, worktree: null, form: 'stat' }));
  expect(stat.all).toContain('1 file changed');
  expect(rig.status(worktree)).toBe(before);
  expect(rig.read(index)).toBe('in use');
  expect(readdirSync(dirname(index)).filter((name) => name.startsWith('orange-diff'))).toEqual([]);
});

it('a difference that is too large is only summed up', async () => {
  await using rig = await working();
  rig.commit(rig.worktree, { big: 'line of text\n'.repeat(400_000) });
  const request = { repository: rig.repository, worktree: null, branch: 'feat', base: 'main' };
  const full = value(await rig.repositories.diff({ ...request, form: 'full' }));
  expect(full.all.length).toBeLessThan(2000);
  expect(full.all).toContain('big');
});

it('a base whose checkout is switched away at the very last moment is still the one that moves', async () => {
  await using rig = await working();
  rig.git(rig.repository, 'branch', 'other');
  const once = join(rig.root, 'switched');
  const switching = `case "$*" in *--ff-only*) [ -e '${once}' ] || { : > '${once}'; '${rig.gitProgram}' -C '${rig.repository}' switch -q other; };; esac`;
  const repositories = rig.createRepositories(rig.withGitLike(switching));
  const { commit } = value(await repositories.merge(rig.mergeRequest()));
  expect(rig.head(rig.repository, 'main')).toBe(commit);
  expect(rig.git(rig.repository, 'branch', '--show-current')).toBe('other');
});
