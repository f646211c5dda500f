import { join } from 'node:path';
import type { Files } from '../ports.js';

/** Where the files lie that an agent changes when it gets on. */
export type ActivityFiles = {
  readonly taskFile: string;
  /** The git directory of its own worktree. */
  readonly gitDirectory: string | null;
  /** The harness's own log of the conversation. */
  readonly transcript: string | null;
};

/** The state of these files as one text; it differs as soon as one of them has changed. */
export function readActivityStamps(files: Files, places: ActivityFiles): string {
  const { taskFile, gitDirectory, transcript } = places;
  const paths = [
    taskFile,
    ...(gitDirectory === null ? [] : GIT_FILES.map((name) => join(gitDirectory, name))),
    ...(transcript === null ? [] : [transcript]),
  ];
  return paths.map((path) => stampOf(files, path)).join(' ');
}

/** The git directory that a worktree's `.git` names, or null where there is none to be had. */
export function findGitDirectory(files: Files, worktree: string): string | null {
  const pointer = files.readText(join(worktree, '.git'), MAX_POINTER_BYTES, 'lossy');
  if (!pointer.ok) return null;
  const path = /^gitdir: (.+)$/mu.exec(pointer.value.text)?.[1];
  return path === undefined || !path.startsWith('/') ? null : path;
}

/** Whether git is in the middle of something that takes several steps. */
export function isGitBusy(files: Files, gitDirectory: string): boolean {
  return GIT_STEPS.some((name) => {
    const state = files.stat(join(gitDirectory, name));
    return state.ok && state.value.kind !== 'absent';
  });
}

// A commit leaves the branch's own file elsewhere, but always a line in the log and a new index.
const GIT_FILES = ['HEAD', 'index', 'logs/HEAD'];
const GIT_STEPS = [
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'rebase-merge',
  'rebase-apply',
  'index.lock',
];
const MAX_POINTER_BYTES = 4096;

function stampOf(files: Files, path: string): string {
  const state = files.stat(path);
  if (!state.ok || state.value.kind !== 'file') return '-';
  const { mtimeMs, size, inode } = state.value.stamp;
  return `${mtimeMs}/${size}/${inode}`;
}
