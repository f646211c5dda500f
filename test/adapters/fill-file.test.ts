import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDiskFiles } from '../../src/adapters/disk-files.js';
import { armFailpoints } from '../../src/domain/failpoint.js';

const files = createDiskFiles();
let dir = '';
let file = '';

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'orange-fill-'));
  file = join(dir, 'TASK.md');
});
afterEach(() => {
  armFailpoints(() => undefined);
  rmSync(dir, { recursive: true, force: true });
});

function refused(code: string): object {
  return { ok: false, failure: { kind: 'io-failed', code } };
}

describe('filling and emptying a file that stays', () => {
  it('writes into an empty file, takes it out again, and keeps the file itself', () => {
    writeFileSync(file, '');
    const { ino } = statSync(file);
    expect(files.fill(file, 'ü🍊\n')).toMatchObject({ ok: true });
    expect(readFileSync(file, 'utf8')).toBe('ü🍊\n');
    expect(files.empty(file)).toMatchObject({ ok: true });
    expect(statSync(file)).toMatchObject({ size: 0, ino });
  });

  it('refuses a file that is absent, holds something, or is none', () => {
    expect(files.fill(file, 'x')).toMatchObject(refused('ENOENT'));
    expect(files.empty(file)).toMatchObject(refused('ENOENT'));
    writeFileSync(file, 'kept');
    expect(files.fill(file, 'x')).toMatchObject(refused('EEXIST'));
    expect(readFileSync(file, 'utf8')).toBe('kept');
    const link = join(dir, 'link');
    symlinkSync(file, link);
    expect(files.fill(link, 'x')).toMatchObject(refused('ELOOP'));
    expect(files.empty(link)).toMatchObject(refused('ELOOP'));
    expect(readFileSync(file, 'utf8')).toBe('kept');
  });

  it.each(['written', 'synced'])('F13 leaves nothing of what failed when it was %s', (step) => {
    writeFileSync(file, '');
    armFailpoints((name) => {
      if (name === `task-file.${step}`)
        throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    });
    expect(files.fill(file, 'half')).toMatchObject(refused('ENOSPC'));
    expect(statSync(file).size).toBe(0);
  });
});
