import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { loadScript } from './load-script.js';

type Script = {
  readonly checkModes: (place: { readonly home: string }) => readonly { readonly key: string }[];
};

const home = mkdtempSync(join(tmpdir(), 'om-'));
afterEach(() => rmSync(home, { recursive: true, force: true }));

it('G12 the oracle of chaos sees every file and directory that is open to others, but not what is in a worktree', async () => {
  const { checkModes } = await loadScript<Script>('../chaos/oracle/check-modes');
  const paths = ['run/x/prompt', 'run/x/shims/git', 'workspaces/.pool.json', 'workspaces/a--1/b'];
  mkdirSync(join(home, 'restored', 'a'), { recursive: true, mode: 0o755 });
  for (const path of paths) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), '');
  }
  symlinkSync('/dev/null', join(home, 'orange.log'));
  const close = (path: string, mode: number): void => chmodSync(join(home, path), mode);
  for (const path of ['.', 'run', 'run/x', 'run/x/shims', 'restored', 'workspaces']) {
    close(path, 0o700);
  }
  for (const path of paths) close(path, 0o600);
  close('run/x/shims/git', 0o700);
  close('workspaces/a--1', 0o777);
  close('workspaces/a--1/b', 0o666);
  expect(checkModes({ home })).toEqual([]);
  const opened = ['.', 'restored', 'run/x', 'run/x/prompt', 'workspaces', 'workspaces/.pool.json'];
  for (const [index, path] of opened.entries()) close(path, index % 2 === 0 ? 0o740 : 0o602);
  const keys = opened.map((path) => `G12 ${join(home, path)}`);
  expect(
    checkModes({ home })
      .map(({ key }) => key)
      .toSorted(),
  ).toEqual(keys.toSorted());
});
