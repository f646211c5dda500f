import { execFileSync } from 'node:child_process';
import { closeSync, constants, lstatSync, mkdirSync, openSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GitRig, TASK, value } from './git-rig.js';

function exists(...parts: readonly string[]): boolean {
  return lstatSync(join(...parts), { throwIfNoEntry: false }) !== undefined;
}

function makePipe(...parts: readonly string[]): void {
  execFileSync('mkfifo', [join(...parts)]);
}

/** A socket whose server is gone, as one that was killed leaves it. */
function leaveSocket(directory: string, name: string): void {
  const program = `require('net').createServer().listen(${JSON.stringify(name)}, () => process.kill(process.pid, 'SIGKILL'))`;
  try {
    execFileSync(process.execPath, ['-e', program], { cwd: directory, stdio: 'ignore' });
  } catch {
    // It was killed, as it was to be.
  }
  expect(exists(directory, name)).toBe(true);
}

it('pipes and sockets that a task left go with the release, wherever they are', async () => {
  await using rig = new GitRig().withCommit();
  await rig.bind();
  rig.commit(rig.worktree, { 'only here/c.txt': 'c\n' });
  mkdirSync(join(rig.worktree, 'new'));
  makePipe(rig.worktree, 'pipe');
  makePipe(rig.worktree, 'dir', 'pipe');
  makePipe(rig.worktree, 'only here', 'pipe');
  makePipe(rig.worktree, 'new', 'pipe');
  leaveSocket(join(rig.worktree, 'dir'), 'left.sock');
  value(await rig.release());
  expect(execFileSync('ls', ['-A', rig.worktree, join(rig.worktree, 'dir')]).toString()).toBe(
    `${rig.worktree}:\n.git\n.gitignore\na.txt\ndir\n\n${rig.worktree}/dir:\nb.txt\n`,
  );
});

it('those stay that git ignores, unless ignored files go as well', async () => {
  await using rig = new GitRig().withCommit();
  await rig.bind();
  makePipe(rig.worktree, '.env');
  value(await rig.release());
  expect(exists(rig.worktree, '.env')).toBe(true);
  const { repository, worktree } = rig;
  const request = { repository, worktree, defaultBranch: 'main', taskId: TASK, keepIgnored: false };
  value(await rig.repositories.release(request));
  expect(exists(rig.worktree, '.env')).toBe(false);
});

it('those stay that somebody has open', async () => {
  await using rig = new GitRig().withCommit();
  await rig.bind();
  makePipe(rig.worktree, 'pipe');
  const open = openSync(join(rig.worktree, 'pipe'), constants.O_RDWR);
  const server = createServer();
  await new Promise<void>((done) => server.listen(join(rig.worktree, 'own.sock'), done));
  value(await rig.release());
  expect([exists(rig.worktree, 'pipe'), exists(rig.worktree, 'own.sock')]).toEqual([true, true]);
  closeSync(open);
  await new Promise((done) => server.close(done));
});

it('G13 a link that a task made leads to nothing that would be removed', async () => {
  await using rig = new GitRig().withCommit();
  rig.commit(rig.repository, { 'deep/er/c.txt': 'c\n' });
  await rig.bind();
  const outside = join(rig.root, 'outside');
  mkdirSync(join(outside, 'er'), { recursive: true });
  makePipe(outside, 'er', 'pipe');
  rmSync(join(rig.worktree, 'deep'), { recursive: true });
  symlinkSync(outside, join(rig.worktree, 'deep'));
  value(await rig.release());
  expect(exists(outside, 'er', 'pipe')).toBe(true);
  expect(rig.read(rig.worktree, 'deep/er/c.txt')).toBe('c\n');
});
