import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProgram } from '../../src/adapters/find-program.js';

describe('finding a program', () => {
  let root = '';
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'fp-'));
    for (const name of ['a', 'b', 'b/dir']) mkdirSync(join(root, name));
    writeFileSync(join(root, 'a/plain'), '');
    writeFileSync(join(root, 'b/plain'), '');
    writeFileSync(join(root, 'b/bot'), '');
    chmodSync(join(root, 'a/plain'), 0o644);
    chmodSync(join(root, 'b/plain'), 0o755);
    chmodSync(join(root, 'b/bot'), 0o755);
    symlinkSync('bot', join(root, 'b/link'));
    symlinkSync('gone', join(root, 'b/dangling'));
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it.each([
    ['bot', 'b/bot'],
    ['link', 'b/link'],
    ['plain', 'b/plain'],
    ['dir', null],
    ['dangling', null],
    ['missing', null],
    ['b/bot', null],
    ['', null],
  ])('%j is found at %j', (name, expected) => {
    const path = `:relative:${root}/a:${root}/b:${root}/none`;
    expect(findProgram(name, path)).toBe(expected === null ? null : join(root, expected));
  });

  it('takes an absolute path as it stands', () => {
    expect(findProgram(join(root, 'b/bot'), '')).toBe(join(root, 'b/bot'));
    expect(findProgram(join(root, 'a/plain'), root)).toBeNull();
  });
});
