import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GitRig, value } from './git-rig.js';

const HOUR_AGO = new Date(Date.now() - 3_600_000);

function inspect(rig: GitRig, depth: 'branch' | 'content' = 'content') {
  const { repository, worktree } = rig;
  return rig.repositories.inspectWorktree({ repository, worktree, depth });
}

function gitDirectory(rig: GitRig): string {
  return rig.git(rig.worktree, 'rev-parse', '--absolute-git-dir');
}

function leaveLock(rig: GitRig, name: string): string {
  const path = join(gitDirectory(rig), name);
  writeFileSync(path, '');
  utimesSync(path, HOUR_AGO, HOUR_AGO);
  return path;
}

describe('inspecting a worktree', () => {
  it('tells its branch and why it could not be handed out, and changes nothing', async () => {
    await using rig = new GitRig().withCommit();
    expect(value(await inspect(rig))).toBeNull();
    await rig.bind();
    expect(value(await inspect(rig))).toEqual({ branch: 'feat', unrest: 'it is on a branch' });
    expect(value(await inspect(rig, 'branch'))).toEqual({ branch: 'feat', unrest: null });
    value(await rig.release());
    expect(value(await inspect(rig))).toEqual({ branch: null, unrest: null });
    rig.write(join(rig.worktree, 'new.txt'), 'x');
    expect(value(await inspect(rig))).toEqual({ branch: null, unrest: 'it is not clean' });
    expect(existsSync(join(rig.worktree, 'new.txt'))).toBe(true);
  });

  it('I7 says what is not a worktree of this repository', async () => {
    await using rig = new GitRig().withCommit();
    mkdirSync(rig.worktree, { recursive: true });
    rig.git(rig.worktree, 'init', '-q');
    expect(await inspect(rig)).toMatchObject({ failure: { kind: 'worktree-unusable' } });
  });
});

describe('locks of git in a worktree', () => {
  it('F45 are found and removed when the git that made them is gone', async () => {
    await using rig = new GitRig().withCommit();
    await rig.bind();
    expect(rig.repositories.findLocks(rig.worktree)).toEqual([]);
    const index = leaveLock(rig, 'index.lock');
    rig.git(rig.repository, 'worktree', 'lock', '--reason', 'initializing', rig.worktree);
    const locked = join(gitDirectory(rig), 'locked');
    expect(rig.repositories.findLocks(rig.worktree)).toEqual([
      { path: index, isStale: true },
      { path: locked, isStale: true },
    ]);
    value(await rig.repositories.clearLocks(rig.repository, rig.worktree));
    expect([existsSync(index), existsSync(locked)]).toEqual([false, false]);
    expect(rig.repositories.findLocks(rig.worktree)).toEqual([]);
  });

  it('F45 are left alone while a git works there', async () => {
    await using rig = new GitRig().withCommit();
    await rig.bind();
    const index = leaveLock(rig, 'index.lock');
    const owner = spawn(rig.gitProgram, ['cat-file', '--batch'], { cwd: rig.worktree });
    try {
      // It answers, so it is there.
      owner.stdin.write('HEAD\n');
      await once(owner.stdout, 'data');
      expect(rig.repositories.findLocks(rig.worktree)).toEqual([{ path: index, isStale: false }]);
      expect(await rig.repositories.clearLocks(rig.repository, rig.worktree)).toMatchObject({
        failure: { kind: 'worktree-unusable' },
      });
      expect(existsSync(index)).toBe(true);
    } finally {
      owner.stdin.end();
      await once(owner, 'exit');
    }
  });

  it('that a person set on purpose are no finding', async () => {
    await using rig = new GitRig().withCommit();
    await rig.bind();
    rig.git(rig.repository, 'worktree', 'lock', '--reason', 'mine', rig.worktree);
    expect(rig.repositories.findLocks(rig.worktree)).toEqual([]);
    rmSync(join(gitDirectory(rig), 'locked'));
  });
});
