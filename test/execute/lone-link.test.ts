import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createDiskFiles } from '../../src/adapters/disk-files.js';
import { dropLoneLink } from '../../src/execute/lone-link.js';
import { value } from '../adapters/git/git-rig.js';

const TARGET = '/home/pat/orange/tasks/shop/one/TASK.md';

it.each<[string, boolean, (worktree: string) => void]>([
  ['that holds only the link to the task’s own file goes', false, (at) => link(at, TARGET)],
  ['that holds another link stays', true, (at) => link(at, '/etc/hostname')],
  ['that holds a TASK.md of somebody stays', true, (at) => write(at, 'TASK.md')],
  ['that holds anything beside the link stays', true, (at) => (link(at, TARGET), write(at, 'a'))],
  ['that is a worktree stays', true, (at) => (link(at, TARGET), write(at, '.git'))],
  ['that is empty stays', true, () => undefined],
])('F46 a folder %s', (_, stays, arrange) => {
  const worktree = mkdtempSync(join(tmpdir(), 'ol-'));
  onTestFinished(() => rmSync(worktree, { recursive: true, force: true }));
  mkdirSync(worktree, { recursive: true });
  arrange(worktree);
  value(dropLoneLink(createDiskFiles(), worktree, TARGET));
  expect(existsSync(worktree)).toBe(stays);
});

function link(worktree: string, target: string): void {
  symlinkSync(target, join(worktree, 'TASK.md'));
}

function write(worktree: string, name: string): void {
  writeFileSync(join(worktree, name), 'words\n');
}
