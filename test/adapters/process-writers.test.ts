import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProcessWriters } from '../../src/adapters/process-writers.js';

/** A file that another process has opened, and that was replaced since as orange does it. */
async function givenReplaced(redirection: string) {
  const directory = mkdtempSync(join(tmpdir(), 'pw-'));
  const path = join(directory, 'TASK.md');
  const kept = join(directory, 'kept');
  writeFileSync(path, 'old');
  const shell = spawn('/bin/sh', ['-c', `exec 7${redirection}"$1"; echo; read _`, '-', path]);
  await once(shell.stdout, 'data');
  linkSync(path, kept);
  writeFileSync(`${path}.new`, 'new');
  renameSync(`${path}.new`, path);
  return {
    path,
    kept,
    end: async (): Promise<void> => {
      shell.stdin.end('\n');
      if (shell.exitCode === null) await once(shell, 'exit');
    },
    [Symbol.dispose]: () => {
      shell.kill('SIGKILL');
      rmSync(directory, { recursive: true });
    },
  };
}

const writersOf = async (paths: readonly string[]): Promise<readonly string[] | null> => {
  const found = await createProcessWriters()?.of(paths);
  return found == null ? null : [...found];
};

describe.runIf(process.platform === 'linux')('a file that was replaced', () => {
  it.each(['>>', '<>'])('is known to be open for writing (%s)', async (redirection) => {
    using file = await givenReplaced(redirection);
    expect(await writersOf([file.kept, file.path])).toEqual([file.kept]);
    await file.end();
    expect(await writersOf([file.kept, file.path])).toEqual([]);
  });

  it('is held by nobody who only reads it', async () => {
    using file = await givenReplaced('<');
    expect(await writersOf([file.kept])).toEqual([]);
  });

  it('may be gone', async () => {
    expect(await writersOf([join(tmpdir(), 'no-such-file')])).toEqual([]);
  });
});

it('where the kernel shows no processes nobody is asked', () => {
  expect(createProcessWriters(join(tmpdir(), 'no-such-table'))).toBeNull();
});
