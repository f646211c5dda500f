import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDiskFiles } from '../../src/adapters/disk-files.js';
import { armFailpoints } from '../../src/domain/failpoint.js';
import type { FileStamp } from '../../src/ports.js';
import { value } from './git/git-rig.js';

const files = createDiskFiles();
let dir = '';
let file = '';

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'orange-kept-'));
  file = join(dir, 'TASK.md');
});
afterEach(() => {
  armFailpoints(() => undefined);
  rmSync(dir, { recursive: true, force: true });
});

function stampOf(path: string): FileStamp {
  const state = value(files.stat(path));
  if (state.kind !== 'file') throw new Error(`no file: ${path}`);
  return state.stamp;
}

it('F26 closes to others what it keeps, however open its writer has made it', () => {
  const draft = join(dir, 'TASK.md.tmp.77');
  mkdirSync(join(dir, 'kept'));
  for (const path of [file, draft]) {
    writeFileSync(path, path);
    chmodSync(path, 0o666);
  }
  armFailpoints((name) => {
    if (name === 'disk.kept') renameSync(draft, file);
  });
  const keepAs = join(dir, 'kept', 'old');
  const replaced = value(files.replaceIfUnchanged(file, stampOf(file), 'after', keepAs));
  const kept = replaced.kind === 'replaced' ? replaced.kept : [];
  expect(kept.map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
});

it('F26 closes nothing that a link leads to, which has just come to that place', () => {
  const target = join(dir, 'target');
  for (const path of [file, target]) {
    writeFileSync(path, 'x');
    chmodSync(path, 0o666);
  }
  armFailpoints((name) => {
    if (name !== 'task-file.synced') return;
    rmSync(file);
    symlinkSync(target, file);
  });
  expect(files.replaceIfUnchanged(file, stampOf(file), 'after', join(dir, 'old'))).toMatchObject({
    value: { kind: 'changed-meanwhile' },
  });
  expect(statSync(target).mode & 0o777).toBe(0o666);
});
