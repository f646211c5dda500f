import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rig } from './orange-rig.js';

/** Commits, staged, unstaged and untracked work in the worktree of an agent that rests. */
export function leaveWork(rig: Rig): void {
  const at = (path: string) => join(rig.workspace(), path);
  writeFileSync(at('kept.txt'), 'committed\n');
  rig.git(rig.workspace(), 'add', 'kept.txt');
  rig.git(rig.workspace(), 'commit', '-qm', 'work');
  writeFileSync(at('staged.txt'), 'staged\n');
  rig.git(rig.workspace(), 'add', 'staged.txt');
  writeFileSync(at('staged.txt'), 'and changed\r\n');
  writeFileSync(at('kept.txt'), 'unstaged');
  rmSync(at('README.md'));
  mkdirSync(at('deep'));
  writeFileSync(at('deep/binary "ä"\n'), Buffer.from([0, 255, 13, 10, 128]));
  writeFileSync(at('run.sh'), '#!/bin/sh\n');
  chmodSync(at('run.sh'), 0o755);
  symlinkSync('nowhere', at('link'));
}
