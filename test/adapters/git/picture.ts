import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Everything about a worktree that must come back: files, modes, links, index and HEAD. */
export type Picture = {
  readonly head: string;
  readonly index: string;
  readonly files: Readonly<Record<string, string>>;
};

type WithGit = { git(directory: string, ...argv: readonly string[]): string };

export function takePicture(rig: WithGit, worktree: string): Picture {
  return {
    head: rig.git(worktree, 'rev-parse', '--verify', '--quiet', 'HEAD'),
    index: rig.git(worktree, 'ls-files', '--stage', '-z'),
    files: Object.fromEntries(filesBelow(worktree, '')),
  };
}

const SKIPPED = new Set(['.git', 'TASK.md']);

function* filesBelow(root: string, below: string): Iterable<[string, string]> {
  for (const name of readdirSync(join(root, below)).toSorted()) {
    const path = below === '' ? name : `${below}/${name}`;
    if (SKIPPED.has(path) || name === '.git') continue;
    const state = lstatSync(join(root, path));
    if (state.isDirectory()) yield* filesBelow(root, path);
    else if (state.isSymbolicLink()) yield [path, `link ${readlinkSync(join(root, path))}`];
    else yield [path, describeFile(join(root, path), state.mode)];
  }
}

function describeFile(path: string, mode: number): string {
  const kind = (mode & 0o100) === 0 ? 'file' : 'program';
  return `${kind} ${readFileSync(path).toString('hex')}`;
}
