import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync } from 'node:fs';
import { pid as ownPid } from 'node:process';
import { expect } from 'vitest';

/** Does something while this process can open so many files more, and no others. */
export async function withoutDescriptors<T>(
  spare: number,
  act: () => T | Promise<T>,
): Promise<Awaited<T>> {
  const before = execFileSync('prlimit', ['--noheadings', '--output=SOFT', '--nofile'], {
    encoding: 'utf8',
  }).trim();
  setLimit(String(readdirSync('/proc/self/fd').length + 24));
  const hog: number[] = [];
  try {
    expect(() => {
      for (;;) hog.push(openSync('/dev/null', 'r'));
    }).toThrow('EMFILE');
    for (const fd of hog.splice(0, spare)) closeSync(fd);
    return await act();
  } finally {
    for (const fd of hog) closeSync(fd);
    setLimit(before);
  }
}

function setLimit(files: string): void {
  execFileSync('prlimit', ['--pid', String(ownPid), `--nofile=${files}:`]);
}
