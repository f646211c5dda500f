import { chmodSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createProcessTable } from '../../../src/adapters/process-table.js';
import { classifyGitFailure } from '../../../src/adapters/git/classify-git-failure.js';
import { createGit } from '../../../src/adapters/git/git-command.js';
import { buildGitEnvironment } from '../../../src/adapters/git/git-environment.js';
import { screenSettings } from '../../../src/adapters/git/untrusted-settings.js';
import { failure, GitRig, value } from './git-rig.js';

const entry = (scope: string, key: string, setting: string) => `${scope}\0${key}\n${setting}\0`;

it('F50 a worktree that another git is just making is waited for', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  await rig.bind();
  const half = join(rig.repository, '.git', 'worktrees', 'half');
  rig.write(join(half, 'gitdir'), `${join(rig.root, 'half', '.git')}\n`);
  rig.write(join(half, 'HEAD'), 'ref: refs/heads/half\n');
  writeFileSync(join(half, 'commondir'), '');
  const git = createGit(process.env);
  const call = { directory: rig.repository, argv: ['worktree', 'list', '--porcelain'] };
  const stumbling = await git.run(call);
  expect(value(stumbling).exitCode, 'one that is never finished is a failure').toBe(128);
  const listed = git.run(call);
  writeFileSync(join(half, 'commondir'), '../..\n');
  expect(value(await listed).exitCode).toBe(0);
});

it('F50 so is one whose lock another git takes away while it is read', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  await rig.bind();
  const [name = ''] = readdirSync(join(rig.repository, '.git', 'worktrees'));
  const lock = join(rig.repository, '.git', 'worktrees', name, 'locked');
  // There when git looks for it, and not when it reads.
  symlinkSync(join(rig.root, 'nowhere'), lock);
  const git = createGit(process.env);
  const call = { directory: rig.repository, argv: ['worktree', 'list', '--porcelain'] };
  const stumbling = await git.run(call);
  expect(value(stumbling).stderr, 'one that stays is a failure').toMatch(/failed to read .*locked/);
  const listed = git.run(call);
  rmSync(lock);
  expect(value(await listed).exitCode).toBe(0);
});

it('F48 nothing that an agent puts into the shared configuration runs', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  rig.withRemote();
  await rig.bind();
  rig.commit(rig.worktree, { '.gitattributes': '* filter=evil merge=evil diff=evil\n' });
  const canary = join(rig.root, 'canary');
  const trap = (name: string) => `sh -c 'echo ${name} >> ${canary}; cat'`;
  const hooks = join(rig.root, 'hooks');
  for (const hook of [
    'post-checkout',
    'reference-transaction',
    'pre-push',
    'post-merge',
    'post-index-change',
  ]) {
    for (const directory of [hooks, join(rig.repository, '.git/hooks')]) {
      rig.write(join(directory, hook), `#!/bin/sh\necho ${hook} >> ${canary}\n`);
      chmodSync(join(directory, hook), 0o755);
    }
  }
  const settings: Record<string, string> = {
    'core.hooksPath': hooks,
    'core.fsmonitor': trap('fsmonitor'),
    'core.sshCommand': trap('ssh'),
    'core.pager': trap('pager'),
    'core.editor': trap('editor'),
    'filter.evil.clean': trap('clean'),
    'filter.evil.smudge': trap('smudge'),
    'filter.evil.process': trap('process'),
    'filter.evil.required': 'true',
    'merge.evil.driver': trap('merge'),
    'diff.evil.textconv': trap('textconv'),
    'diff.evil.command': trap('diff'),
    'diff.external': trap('external'),
    'gpg.program': join(rig.root, 'gpg'),
    'remote.origin.uploadpack': trap('uploadpack'),
    'remote.origin.receivepack': trap('receivepack'),
    'credential.helper': `!${trap('credential')}`,
    'alias.status': `!${trap('alias')}`,
    'core.alternateRefsCommand': trap('alternate'),
  };
  for (const [key, setting] of Object.entries(settings))
    rig.git(rig.repository, 'config', key, setting);
  rig.write(join(rig.worktree, 'a.txt'), 'changed\n');
  rig.write(join(rig.worktree, 'dir/b.txt'), 'changed\n');
  const diff = { repository: rig.repository, worktree: rig.worktree, branch: 'feat', base: 'main' };
  value(await rig.repositories.diff({ ...diff, form: 'full' }));
  const { salvageRef } = value(await rig.release());
  expect(rig.stored(salvageRef ?? '', 'a.txt').toString()).toBe('changed\n');
  value(await rig.repositories.bind(rig.bindRequest()));
  value(await rig.repositories.merge(rig.mergeRequest({ push: true })));
  value(await rig.release());
  expect(rig.exists(canary) ? rig.read(canary) : '').toBe('');
});

it('a merge driver and a signing program from the shared configuration do not run either', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  rig.commit(rig.repository, { '.gitattributes': '* merge=evil\n' });
  await rig.bind();
  rig.commit(rig.worktree, { 'a.txt': 'zero\none\n' });
  rig.commit(rig.repository, { 'a.txt': 'one\ntwo\n' });
  const canary = join(rig.root, 'canary');
  rig.write(join(rig.root, 'trap'), `#!/bin/sh\ntouch ${canary}\n`);
  chmodSync(join(rig.root, 'trap'), 0o755);
  rig.git(rig.repository, 'config', 'merge.evil.driver', join(rig.root, 'trap'));
  expect(failure(await rig.repositories.merge(rig.mergeRequest()))).toMatchObject({
    kind: 'merge-conflict',
  });
  rig.git(rig.repository, 'config', '--unset', 'merge.evil.driver');
  rig.git(rig.repository, 'config', 'commit.gpgSign', 'true');
  rig.git(rig.repository, 'config', 'gpg.program', join(rig.root, 'trap'));
  rig.git(rig.worktree, 'checkout', '-q', 'HEAD~1', '--', 'a.txt');
  rig.write(join(rig.worktree, 'n'), '1');
  rig.git(rig.worktree, 'add', '-A');
  rig.git(rig.worktree, 'commit', '-q', '--no-gpg-sign', '-m', 'no conflict');
  expect(failure(await rig.repositories.merge(rig.mergeRequest()))).toMatchObject({
    reason: 'signing-failed',
  });
  expect(rig.exists(canary)).toBe(false);
});

it("the person's own filters still work", async () => {
  await using rig = new GitRig();
  rig.withCommit();
  rig.git(rig.repository, 'config', '--global', 'filter.case.smudge', 'tr a-z A-Z');
  rig.git(rig.repository, 'config', '--global', 'filter.case.clean', 'tr A-Z a-z');
  rig.commit(rig.repository, { '.gitattributes': '*.loud filter=case\n', 'x.loud': 'hello\n' });
  await rig.bind();
  expect(rig.read(rig.worktree, 'x.loud')).toBe('HELLO\n');
});

it('screening puts outside values back and leaves git-lfs alone', () => {
  const screened = screenSettings(
    [
      entry('global', 'filter.lfs.clean', 'git-lfs clean -- %f'),
      entry('local', 'filter.lfs.clean', 'git-lfs clean -- %f'),
      entry('global', 'credential.helper', 'store'),
      entry('local', 'credential.helper', '!evil'),
      entry('global', 'gpg.program', '/opt/gpg'),
      entry('worktree', 'gpg.program', 'evil'),
      entry('local', 'merge.ours.driver', 'true'),
      entry('local', 'merge.evil.driver', 'evil'),
      entry('global', 'core.sshcommand', 'ssh -i key'),
      entry('local', 'core.sshcommand', 'evil'),
    ].join(''),
  );
  expect(screened.sshCommand).toBe('ssh -i key');
  expect(screened.overrides).toEqual([
    { key: 'credential.helper', value: '' },
    { key: 'credential.helper', value: 'store' },
    { key: 'gpg.program', value: '/opt/gpg' },
    { key: 'merge.ours.driver', value: 'true' },
    { key: 'merge.evil.driver', value: 'false' },
    { key: 'core.sshcommand', value: 'ssh -i key' },
  ]);
});

it('git gets no foreign repository, no terminal and no translation from the environment', () => {
  const environment = buildGitEnvironment(
    {
      PATH: '/bin',
      GIT_DIR: '/x',
      GIT_WORK_TREE: '/x',
      GIT_INDEX_FILE: '/x',
      GIT_EXTERNAL_DIFF: 'x',
      GIT_CONFIG_PARAMETERS: 'x',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'a.b',
      GIT_CONFIG_VALUE_0: 'c',
      GIT_SSH_COMMAND: 'ssh -v',
      DISPLAY: ':0',
      LANG: 'de_DE',
    },
    [{ key: 'd.e', value: 'f' }],
    null,
  );
  expect(environment).toMatchObject({
    PATH: '/bin',
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    GIT_SSH_COMMAND: 'ssh -v -o BatchMode=yes -o ConnectTimeout=5',
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'a.b',
    GIT_CONFIG_KEY_1: 'd.e',
    GIT_CONFIG_VALUE_1: 'f',
  });
  for (const name of [
    'GIT_DIR',
    'GIT_WORK_TREE',
    'GIT_INDEX_FILE',
    'GIT_EXTERNAL_DIFF',
    'GIT_CONFIG_PARAMETERS',
    'DISPLAY',
  ]) {
    expect(environment).not.toHaveProperty(name);
  }
});

it('F47 F52 a git that does not end is killed with its children when the time is up', async () => {
  await using rig = new GitRig();
  rig.withCommit();
  const git = createGit(rig.env);
  const note = join(rig.root, 'child');
  const argv = ['-c', `alias.hang=!echo $$ > ${note}; sleep 600`, 'hang'];
  const hung = await git.run({ directory: rig.repository, argv, timeoutMs: 1000 });
  expect(failure(hung)).toMatchObject({
    kind: 'command-timed-out',
    program: 'git',
    timeoutMs: 1000,
  });
  const pid = Number(readFileSync(note, 'utf8'));
  const processes = createProcessTable();
  await expect.poll(() => processes.markOf(pid), { timeout: 10_000 }).toBeNull();
});

it.each([
  [
    'fatal: not a git repository (or any of the parent directories): .git',
    { kind: 'not-a-repository', path: '/w' },
  ],
  [
    "fatal: cannot change to '/w': No such file or directory",
    { kind: 'not-a-repository', path: '/w' },
  ],
  [
    "fatal: cannot lock ref 'refs/heads/a/b': 'refs/heads/a' exists; cannot create 'refs/heads/a/b'",
    { kind: 'branch-conflict', branch: 'a/b', with: 'a' },
  ],
  [
    "fatal: 'x' is already checked out at '/p q'",
    { kind: 'branch-in-use', branch: 'x', where: '/p q' },
  ],
  [
    "fatal: 'x' is already used by worktree at '/p'",
    { kind: 'branch-in-use', branch: 'x', where: '/p' },
  ],
  ["fatal: a branch named 'x' already exists", { kind: 'branch-conflict', branch: 'x', with: 'x' }],
  ["fatal: 'a b' is not a valid branch name", { kind: 'branch-invalid', branch: 'a b' }],
  [
    "fatal: Unable to create '/r/.git/index.lock': File exists.",
    { kind: 'worktree-unusable', workspace: '/w', reason: 'another git process holds index.lock' },
  ],
  ['fatal: index file corrupt', { kind: 'worktree-unusable', reason: 'its index is damaged' }],
  ["fatal: not a valid object name: 'HEAD'", { kind: 'repository-without-commits', path: '/w' }],
  ['error: file write error: No space left on device', { kind: 'io-failed', code: 'ENOSPC' }],
  ["fatal: cannot open 'x': Too many open files", { kind: 'io-failed', code: 'EMFILE' }],
  [
    'fatal: something new',
    { kind: 'command-failed', action: 'x', exitCode: 128, output: 'fatal: something new' },
  ],
])('git saying "%s" has a name', (stderr, expected) => {
  expect(classifyGitFailure({ action: 'x', exitCode: 128, stderr, directory: '/w' })).toMatchObject(
    expected,
  );
});
