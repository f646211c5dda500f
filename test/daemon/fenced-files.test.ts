import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fenceFiles } from '../../src/daemon/fenced-files.js';
import type { Result } from '../../src/domain/result.js';
import type { Files } from '../../src/ports.js';
import { temporaryHome } from '../record/temporary-home.js';

const READING = ['readText', 'readStart', 'stat', 'list', 'isLink'] as const;
/** Every way to write there is: a new one does not compile until it is tried below. */
type Writing = Exclude<keyof Files, (typeof READING)[number]>;

describe('the disk of a daemon that lost its home', () => {
  it('reads, and writes nothing in any way', () => {
    using home = temporaryHome();
    const path = join(home.paths.home, 'kept');
    home.files.replace(path, 'before\n');
    const state = home.files.stat(path);
    if (!state.ok || state.value.kind !== 'file') throw new Error('no file');
    const { stamp } = state.value;
    const files = fenceFiles(home.files, () => false);
    home.files.makeDirectory(join(home.paths.home, 'there'));
    const there = join(home.paths.home, 'there');
    const attempts: Readonly<Record<Writing, () => Result<unknown>>> = {
      replace: () => files.replace(path, 'after'),
      create: () => files.create(join(home.paths.home, 'new'), 'after'),
      fill: () => files.fill(path, 'after'),
      empty: () => files.empty(path),
      replaceIfUnchanged: () => files.replaceIfUnchanged(path, stamp, 'after', path),
      appendLines: () => files.appendLines(path, ['after']),
      makeDirectory: () => files.makeDirectory(join(home.paths.home, 'new')),
      moveDirectory: () => files.moveDirectory(there, join(home.paths.home, 'new')),
      link: () => files.link(path, '/elsewhere'),
      linkIfUnchanged: () => files.linkIfUnchanged(path, stamp, '/elsewhere', path),
      remove: () => files.remove(path),
      removeEmpty: () => files.removeEmpty(there),
      removeTree: () => files.removeTree(path),
    };
    expect(new Set([...Object.keys(attempts), ...READING])).toEqual(
      new Set(Object.keys(home.files)),
    );
    for (const [way, attempt] of Object.entries(attempts)) {
      expect([way, attempt()]).toMatchObject([way, { failure: { code: 'EFENCED' } }]);
    }
    expect(files.readText(path, 100)).toMatchObject({ value: { text: 'before\n' } });
    expect(files.stat(path)).toEqual(state);
    expect(files.list(home.paths.home)).toMatchObject({ value: ['kept', 'there'] });
  });

  it('asks before each write, so that a loss counts at once', () => {
    using home = temporaryHome();
    let isHeld = true;
    const files = fenceFiles(home.files, () => isHeld);
    const path = join(home.paths.home, 'kept');
    expect(files.replace(path, 'one').ok).toBe(true);
    isHeld = false;
    expect(files.replace(path, 'two').ok).toBe(false);
    expect(home.files.readText(path, 100)).toMatchObject({ value: { text: 'one' } });
  });
});
