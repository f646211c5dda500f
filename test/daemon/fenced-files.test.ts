import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fenceFiles } from '../../src/daemon/fenced-files.js';
import { temporaryHome } from '../record/temporary-home.js';

describe('the disk of a daemon that lost its home', () => {
  it('reads, and writes nothing in any way', () => {
    using home = temporaryHome();
    const path = join(home.paths.home, 'kept');
    home.files.replace(path, 'before\n');
    const state = home.files.stat(path);
    if (!state.ok || state.value.kind !== 'file') throw new Error('no file');
    const { stamp } = state.value;
    const files = fenceFiles(home.files, () => false);
    const refused = [
      files.replace(path, 'after'),
      files.replaceIfUnchanged(path, stamp, 'after', path),
      files.appendLines(path, ['after']),
      files.makeDirectory(join(home.paths.home, 'new')),
      files.link(path, '/elsewhere'),
      files.linkIfUnchanged(path, stamp, '/elsewhere', path),
      files.remove(path),
      files.removeEmpty(path),
      files.removeTree(path),
    ];
    for (const result of refused) expect(result).toMatchObject({ failure: { code: 'EFENCED' } });
    expect(files.readText(path, 100)).toMatchObject({ value: { text: 'before\n' } });
    expect(files.stat(path)).toEqual(state);
    expect(files.list(home.paths.home)).toMatchObject({ value: ['kept'] });
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
