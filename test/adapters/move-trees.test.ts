import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDiskFiles } from '../../src/adapters/disk-files.js';
import { armFailpoints } from '../../src/domain/failpoint.js';
import type { Result } from '../../src/domain/result.js';
import { withoutDescriptors } from '../rigs/without-descriptors.js';

const files = createDiskFiles();
let dir = '';

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'orange-disk-'));
});
afterEach(() => {
  armFailpoints(() => undefined);
  rmSync(dir, { recursive: true, force: true });
});

function codeOf(result: Result<unknown>): string {
  if (result.ok) return 'ok';
  return result.failure.kind === 'io-failed' ? result.failure.code : result.failure.kind;
}

describe('a folder that takes another place', () => {
  it('F1 a tree goes in one step when a place is named for that, over what an earlier kill left there', () => {
    const [tree, by] = [join(dir, 'tree'), join(dir, 'run/removed/tree')];
    mkdirSync(join(tree, 'deep'), { recursive: true });
    mkdirSync(join(by, 'left'), { recursive: true });
    const seen: string[] = [];
    armFailpoints((name) => {
      if (name === 'delete.moved') seen.push(...readdirSync(dir), ...readdirSync(by));
    });
    try {
      expect(files.removeTree(tree, by)).toMatchObject({ ok: true });
    } finally {
      armFailpoints(() => undefined);
    }
    expect(seen).toEqual(['run', 'deep']);
    expect(existsSync(by)).toBe(false);
    expect(files.removeTree(tree, by)).toMatchObject({ ok: true });
  });

  it('F17 a tree that cannot be removed for want of descriptors stays where it is', async () => {
    const [tree, by] = [join(dir, 'tree'), join(dir, 'run/removed/tree')];
    mkdirSync(join(tree, 'deep'), { recursive: true });
    const removed = await withoutDescriptors(0, () => files.removeTree(tree, by));
    expect(codeOf(removed)).toBe('EMFILE');
    expect(existsSync(join(tree, 'deep'))).toBe(true);
    expect(files.removeTree(tree, by)).toMatchObject({ ok: true });
    expect([existsSync(tree), existsSync(by)]).toEqual([false, false]);
  });

  it('F17 a folder that cannot take its place for want of descriptors stays where it was', async () => {
    const [draft, place] = [join(dir, '.draft.new'), join(dir, 'shop', 'task')];
    mkdirSync(draft);
    mkdirSync(join(dir, 'shop'));
    writeFileSync(join(draft, 'TASK.md'), 'x');
    const moved = await withoutDescriptors(0, () => files.moveDirectory(draft, place));
    expect(codeOf(moved)).toBe('EMFILE');
    expect([existsSync(draft), existsSync(place)]).toEqual([true, false]);
    expect(files.moveDirectory(draft, place)).toMatchObject({ ok: true });
    expect([existsSync(draft), existsSync(join(place, 'TASK.md'))]).toEqual([false, true]);
  });
});
