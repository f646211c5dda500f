import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StillTrees } from '../../src/adapters/still-trees.js';

/** A tree with a file at its top, a folder with another, and a folder that is not named. */
class TreeRig implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), 'os-'));
  readonly top = join(this.root, 'tree');
  readonly trees = new StillTrees(join(this.root, 'notes'));

  constructor() {
    mkdirSync(join(this.top, 'src'), { recursive: true });
    mkdirSync(join(this.top, 'cache'));
    writeFileSync(join(this.top, 'a.txt'), 'one');
    writeFileSync(join(this.top, 'src/b.txt'), 'two');
  }

  in(path: string): string {
    return join(this.top, path);
  }

  [Symbol.dispose](): void {
    this.trees.close();
    rmSync(this.root, { recursive: true, force: true });
  }
}

const NAMED = ['', 'src'];

it('a tree in which nothing happens is still', async () => {
  using rig = new TreeRig();
  expect(rig.trees.watch(rig.top, NAMED)).toEqual(['cache']);
  expect(await rig.trees.isStill(rig.top)).toBe(true);
  expect(await rig.trees.isStill(rig.top)).toBe(true);
});

const STIRS: readonly (readonly [string, (rig: TreeRig) => void])[] = [
  ['a file that is written to', (rig) => appendFileSync(rig.in('src/b.txt'), 'x')],
  ['a new file', (rig) => writeFileSync(rig.in('src/new.txt'), 'x')],
  ['a file that is removed', (rig) => rmSync(rig.in('a.txt'))],
  [
    'a file that takes the place of another',
    (rig) => renameSync(rig.in('a.txt'), rig.in('src/b.txt')),
  ],
  ['a new folder', (rig) => mkdirSync(rig.in('src/new'))],
  ['a folder that is removed', (rig) => rmSync(rig.in('src'), { recursive: true })],
  ['a file that may be run from now on', (rig) => chmodSync(rig.in('a.txt'), 0o755)],
  ['a tree that is moved away', (rig) => renameSync(rig.top, `${rig.top}-2`)],
];

it.each(STIRS)('%s is seen, and the tree is not still again', async (_, stir) => {
  using rig = new TreeRig();
  rig.trees.watch(rig.top, NAMED);
  stir(rig);
  expect(await rig.trees.isStill(rig.top)).toBe(false);
  expect(await rig.trees.isStill(rig.top)).toBe(false);
});

it('what happens at the very last moment is seen, each time', async () => {
  using rig = new TreeRig();
  for (let round = 0; round < 200; round += 1) {
    rig.trees.watch(rig.top, NAMED);
    appendFileSync(rig.in('src/b.txt'), 'x');
    expect(await rig.trees.isStill(rig.top)).toBe(false);
  }
});

it('what happens in a folder that was not named is nobody’s concern', async () => {
  using rig = new TreeRig();
  rig.trees.watch(rig.top, NAMED);
  writeFileSync(rig.in('cache/x'), 'x');
  expect(await rig.trees.isStill(rig.top)).toBe(true);
});

it('further folders of a tree can be added', async () => {
  using rig = new TreeRig();
  mkdirSync(rig.in('cache/deep'));
  rig.trees.watch(rig.top, NAMED);
  expect(rig.trees.watchMore(rig.top, ['cache'])).toEqual(['cache/deep']);
  writeFileSync(rig.in('cache/x'), 'x');
  expect(await rig.trees.isStill(rig.top)).toBe(false);
});

it('further folders cannot be added once something has happened', async () => {
  using rig = new TreeRig();
  rig.trees.watch(rig.top, NAMED);
  writeFileSync(rig.in('src/new.txt'), 'x');
  await rig.trees.isStill(rig.top);
  expect(rig.trees.watchMore(rig.top, ['cache'])).toBeNull();
  expect(await rig.trees.isStill(rig.top)).toBe(false);
});

it('two trees are asked about at once, and a stir in one of them counts for both', async () => {
  using rig = new TreeRig();
  const other = join(rig.root, 'other');
  mkdirSync(other);
  const ask = () => Promise.all([rig.trees.isStill(rig.top), rig.trees.isStill(other)]);
  rig.trees.watch(rig.top, NAMED);
  rig.trees.watch(other, ['']);
  expect(await ask()).toEqual([true, true]);
  writeFileSync(join(other, 'x'), 'x');
  expect(await ask()).toEqual([false, false]);
});

it('one tree is taken, and the other stays watched whatever happens in the first from then on', async () => {
  using rig = new TreeRig();
  const other = join(rig.root, 'other');
  mkdirSync(other);
  rig.trees.watch(rig.top, NAMED);
  rig.trees.watch(other, ['']);
  expect(await rig.trees.take(other)).toBe(true);
  writeFileSync(join(other, 'x'), 'x');
  expect(await rig.trees.isStill(other)).toBe(false);
  expect(await rig.trees.isStill(rig.top)).toBe(true);
});

it('a tree that another has taken the place of is not still', async () => {
  using rig = new TreeRig();
  const top = join(rig.top, 'src');
  rig.trees.watch(top, ['']);
  renameSync(rig.top, `${rig.top}-2`);
  mkdirSync(top, { recursive: true });
  expect(await rig.trees.isStill(top)).toBe(false);
});

it('a tree of whose stir the kernel could not tell, for all that another does, is not still', async () => {
  using rig = new TreeRig();
  const other = join(rig.root, 'other');
  mkdirSync(other);
  rig.trees.watch(rig.top, NAMED);
  rig.trees.watch(other, ['']);
  const files = [join(other, 'x'), join(other, 'y')];
  for (const file of files) writeFileSync(file, 'x');
  for (let count = 0; count < 10_000; count += 1) {
    for (const file of files) utimesSync(file, count, count);
  }
  writeFileSync(rig.in('src/new.txt'), 'x');
  await rig.trees.isStill(other);
  expect(await rig.trees.isStill(rig.top)).toBe(false);
});

it('a tree that is not watched, or no more, is never still', async () => {
  using rig = new TreeRig();
  expect(await rig.trees.isStill(rig.top)).toBe(false);
  rig.trees.watch(rig.top, NAMED);
  rig.trees.forget(rig.top);
  expect(await rig.trees.isStill(rig.top)).toBe(false);
});

it('a tree that lacks a folder, or has too many, is not watched', async () => {
  using rig = new TreeRig();
  expect(rig.trees.watch(rig.top, ['', 'gone'])).toBeNull();
  expect(
    rig.trees.watch(
      rig.top,
      Array.from({ length: 10_000 }, () => 'src'),
    ),
  ).toBeNull();
  expect(await rig.trees.isStill(rig.top)).toBe(false);
});
