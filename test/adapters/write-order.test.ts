import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createDiskFiles } from '../../src/adapters/disk-files.js';
import { listenToDisk } from '../rigs/listen-to-disk.js';
import { must } from '../rigs/must.js';

const folder = mkdtempSync(join(tmpdir(), 'orange-order-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files = createDiskFiles();

/** Replaced as it was before orange took part: a draft, the file itself, its name. */
const REPLACED = ['write TASK.md~', 'sync TASK.md~', 'rename TASK.md~ to TASK.md', 'sync .'];

it('F12 a file is on the disk before it takes the place of the old one, and its name before it counts', () => {
  const path = join(folder, 'TASK.md');
  writeFileSync(path, 'old');
  using disk = listenToDisk(folder);
  must(files.replace(path, 'new'));
  expect(disk.steps).toEqual(REPLACED);
  expect(disk.atRisk(path)).toEqual([]);
});

it('F12 so is one that is replaced only as long as it is what was read', () => {
  const path = join(folder, 'TASK.md');
  writeFileSync(path, 'old');
  const { stamp } = must(files.readText(path, 100));
  using disk = listenToDisk(folder);
  const replaced = files.replaceIfUnchanged(path, stamp, 'new', join(folder, 'kept'));
  expect(replaced).toMatchObject({ value: { kind: 'replaced' } });
  expect(disk.steps).toEqual(REPLACED);
  expect(disk.atRisk(path)).toEqual([]);
});

it('F12 a file that a reboot makes worthless is not waited for', () => {
  const path = join(folder, 'prompt.txt');
  using disk = listenToDisk(folder);
  must(files.replace(path, 'new', 'until-reboot'));
  expect(disk.atRisk(path)).toEqual(['prompt.txt', 'the name prompt.txt']);
});

it('F12 an event is on the disk before it counts, and the name of a new history too', () => {
  const path = join(folder, 'history.jsonl');
  using disk = listenToDisk(folder);
  must(files.appendLines(path, ['{"a":1}']));
  must(files.appendLines(path, ['{"b":2}']));
  expect(disk.steps).toEqual([
    'write history.jsonl',
    'sync history.jsonl',
    'sync .',
    'write history.jsonl',
    'sync history.jsonl',
  ]);
});

it('F12 an intent is on the disk before it counts, and the name of its file if that is new', () => {
  const path = join(folder, '000000000001.json');
  using disk = listenToDisk(folder);
  must(files.create(path, 'first'));
  must(files.empty(path));
  must(files.fill(path, 'second'));
  const [write, sync] = ['write 000000000001.json', 'sync 000000000001.json'];
  expect(disk.steps).toEqual([write, sync, 'sync .', 'cut 000000000001.json', write, sync]);
  expect(disk.atRisk(path)).toEqual([]);
});

it('F12 each name on the way to a new directory is on the disk before it counts', () => {
  const path = join(folder, 'tasks', 'shop');
  using disk = listenToDisk(folder);
  must(files.makeDirectory(path));
  expect(disk.steps).toEqual(['make tasks', 'make tasks/shop', 'sync tasks', 'sync .']);
  expect(disk.atRisk(path)).toEqual([]);
});

it('F12 a directory has its new place on the disk before it counts there', () => {
  mkdirSync(join(folder, 'here'));
  mkdirSync(join(folder, '.new'));
  using disk = listenToDisk(folder);
  must(files.moveDirectory(join(folder, '.new'), join(folder, 'here', 'task')));
  expect(disk.steps).toEqual(['rename .new to here/task', 'sync here']);
  expect(disk.atRisk(join(folder, 'here', 'task'))).toEqual([]);
});

it('F12 a tree has left its place on the disk before the first of it is removed', () => {
  mkdirSync(join(folder, 'old'));
  writeFileSync(join(folder, 'old', 'TASK.md'), 'x');
  using disk = listenToDisk(folder);
  must(files.removeTree(join(folder, 'old'), join(folder, 'removed', 'old')));
  expect(disk.steps).toEqual([
    'make removed',
    'rename old to removed/old',
    'sync .',
    'remove removed/old',
  ]);
});
