import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createDiskFiles } from '../../src/adapters/disk-files.js';

const folder = fs.mkdtempSync(join(tmpdir(), 'orange-order-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function kindOf(fd: number): string {
  return fs.fstatSync(fd).isDirectory() ? 'directory' : 'file';
}

/** The calls that decide what is left after a power cut, in their order, as they are made. */
function listenToDisk() {
  const original = { write: fs.writeSync, sync: fs.fsyncSync, rename: fs.renameSync };
  const calls: string[] = [];
  Object.assign(fs, {
    writeSync: (...args: Parameters<typeof fs.writeSync>) => {
      calls.push('write');
      return original.write(...args);
    },
    fsyncSync: (fd: number) => {
      calls.push(`sync ${kindOf(fd)}`);
      original.sync(fd);
    },
    renameSync: (from: string, to: string) => {
      calls.push('rename');
      original.rename(from, to);
    },
  });
  syncBuiltinESMExports();
  return {
    calls,
    [Symbol.dispose]: () => {
      Object.assign(fs, {
        writeSync: original.write,
        fsyncSync: original.sync,
        renameSync: original.rename,
      });
      syncBuiltinESMExports();
    },
  };
}

it('F12 a file is on the disk before it takes the place of the old one, and its name before it counts', () => {
  const path = join(folder, '.pool.json');
  fs.writeFileSync(path, 'old');
  using disk = listenToDisk();
  expect(createDiskFiles().replace(path, 'new').ok).toBe(true);
  expect(disk.calls).toEqual(['write', 'sync file', 'rename', 'sync directory']);
});

it('F12 an event is on the disk before it counts, and the name of a new history too', () => {
  const path = join(folder, 'history.jsonl');
  using disk = listenToDisk();
  const files = createDiskFiles();
  expect(files.appendLines(path, ['{"a":1}']).ok).toBe(true);
  expect(files.appendLines(path, ['{"b":2}']).ok).toBe(true);
  expect(disk.calls.filter((call) => call !== 'write')).toEqual([
    'sync file',
    'sync directory',
    'sync file',
  ]);
  expect(disk.calls.at(-2)).toBe('write');
});

it('F12 an intent is on the disk before it counts, and the name of its file if that is new', () => {
  const path = join(folder, '000000000001.json');
  const files = createDiskFiles();
  using disk = listenToDisk();
  expect(files.create(path, 'first').ok).toBe(true);
  expect(files.empty(path).ok).toBe(true);
  expect(files.fill(path, 'second').ok).toBe(true);
  expect(disk.calls).toEqual(['write', 'sync file', 'sync directory', 'write', 'sync file']);
});
