import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Script = {
  readonly pathsBelow: (folder: string, isEntered?: (path: string) => boolean) => readonly string[];
};

describe('the paths below a folder', () => {
  let root: string;
  const below = async (isEntered?: (path: string) => boolean) => {
    const { pathsBelow } = await loadScript<Script>('../chaos/oracle/paths-below');
    return pathsBelow(root, isEntered).map((path) => path.slice(root.length + 1));
  };

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'op-'));
    mkdirSync(join(root, 'a', 'b'), { recursive: true });
    writeFileSync(join(root, 'a', 'b', 'c'), '');
    symlinkSync(root, join(root, 'z'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('are all that is there, without going through links', async () => {
    expect((await below()).toSorted()).toEqual(['a', 'a/b', 'a/b/c', 'z']);
  });

  it('are without what is in a folder that nobody wants to enter', async () => {
    expect((await below((path) => !path.endsWith('/b'))).toSorted()).toEqual(['a', 'a/b', 'z']);
  });

  it('are those that are left when a folder goes away meanwhile', async () => {
    const entered = await below((path) => {
      rmSync(path, { recursive: true });
      return true;
    });
    expect(entered.toSorted()).toEqual(['a', 'z']);
    rmSync(root, { recursive: true });
    expect(await below()).toEqual([]);
  });
});
