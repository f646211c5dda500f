import { basename, dirname, join, resolve } from 'node:path';
import type { Result } from '../../domain/result.js';
import { failed, success } from '../../domain/result.js';
import type { Files } from '../../ports.js';
import { realDirectory } from '../disk-files.js';
import type { GitContext } from './git-context.js';
import { findCommonDirectory } from './git-context.js';
import { seeGitDirectory, seeHead, seeRef } from './ref-files.js';
import { resolveCommit, shortBranch } from './refs.js';
import { readSuspendedBranch } from './worktree-list.js';
import { pointerOf } from './worktree-records.js';

const MAX_POINTER_BYTES = 4096;

/** The file of the task that works in a worktree; never part of the work itself. */
export const TASK_FILE = 'TASK.md';

export type Worktree = {
  readonly path: string;
  /** Its own git directory, where index and HEAD are. */
  readonly gitDirectory: string;
  /** The branch it is on, or is rebasing. */
  readonly branch: string | null;
  readonly isDetached: boolean;
  readonly head: string | null;
};

/** A worktree of this repository, or null when there is nothing at that place. */
export async function readWorktree(
  context: GitContext,
  repository: string,
  path: string,
): Promise<Result<Worktree | null>> {
  const { git, files } = context;
  if (isVacant(files, path)) return success(null);
  const common = await findCommonDirectory(context, repository);
  if (!common.ok) return common;
  const seen = seeWorktree(files, common.value, path);
  if (seen !== null) return success(seen);
  const place = await findGitDirectory(context, repository, path);
  if (!place.ok) return place;
  const gitDirectory = place.value;
  const [head, link] = await Promise.all([
    resolveCommit(git, path, 'HEAD'),
    git.run({ directory: path, argv: ['symbolic-ref', '--quiet', 'HEAD'] }),
  ]);
  if (!head.ok) return head;
  if (!link.ok) return link;
  const target = link.value.stdout.trim();
  const isDetached = link.value.exitCode !== 0 || target === UNBORN;
  const branch = isDetached ? readSuspendedBranch(files, gitDirectory) : shortBranch(target);
  return success({ path, gitDirectory, branch, isDetached, head: head.value });
}

/** A worktree by git's own files alone; null when git has to be asked. */
function seeWorktree(files: Files, common: string, path: string): Worktree | null {
  const gitDirectory = seeGitDirectory(files, common, path);
  const head = gitDirectory === null ? null : seeHead(files, gitDirectory);
  if (gitDirectory === null || head === null) return null;
  if (head.kind === 'detached') {
    const branch = readSuspendedBranch(files, gitDirectory);
    return { path, gitDirectory, branch, isDetached: true, head: commitOf(head.commit) };
  }
  const tip = seeRef(files, common, head.ref);
  if (tip === 'unsure') return null;
  const commit = tip === 'absent' ? null : tip.commit;
  return { path, gitDirectory, branch: shortBranch(head.ref), isDetached: false, head: commit };
}

// While git makes a worktree its HEAD says nothing, and that stays so if it is killed: it is nothing but
// zeros, or with newer gits a branch that cannot be.
const UNBORN = 'refs/heads/.invalid';

function commitOf(object: string): string | null {
  return /^0+$/.test(object) ? null : object;
}

/** The worktree's own git directory; anything but a linked worktree of this repository is refused. */
export async function findGitDirectory(
  context: GitContext,
  repository: string,
  path: string,
): Promise<Result<string>> {
  const shared = await findCommonDirectory(context, repository);
  if (!shared.ok) return shared;
  const found = await context.git.run({
    directory: path,
    argv: [
      'rev-parse',
      '--path-format=absolute',
      '--absolute-git-dir',
      '--git-common-dir',
      '--show-prefix',
    ],
  });
  if (!found.ok) return found;
  const [gitDirectory = '', common = '', prefix = ''] = found.value.stdout.split('\n');
  if (found.value.exitCode !== 0 || prefix !== '') return unusable(path, 'it is not a worktree');
  if (common !== shared.value) return unusable(path, 'it belongs to another repository');
  if (gitDirectory === common) return unusable(path, 'it is the main checkout');
  const owner = findOwner(context.files, path, gitDirectory);
  return owner === null ? success(gitDirectory) : unusable(path, `its .git is that of ${owner}`);
}

/** Another worktree of the same pool that a git directory belongs to: this one is a copy. */
function findOwner(files: Files, path: string, gitDirectory: string): string | null {
  const back = files.readText(join(gitDirectory, 'gitdir'), MAX_POINTER_BYTES);
  if (!back.ok) return null;
  const owner = dirname(resolve(gitDirectory, back.value.text.trim()));
  const isSibling = basename(owner) !== basename(path) && isSame(dirname(owner), dirname(path));
  return isSibling && pointerOf(files, owner) === gitDirectory ? owner : null;
}

function isSame(first: string, second: string): boolean {
  return first === second || realDirectory(first) === realDirectory(second);
}

/** A worktree that has to be there; the reason is for when it is not. */
export async function needWorktree(
  context: GitContext,
  { repository, worktree: path }: { readonly repository: string; readonly worktree: string },
  reason = 'it is gone',
): Promise<Result<Worktree>> {
  const found = await readWorktree(context, repository, path);
  if (!found.ok) return found;
  return found.value === null ? unusable(path, reason) : success(found.value);
}

/** Nothing there, or an empty directory. */
export function isVacant(files: Files, path: string): boolean {
  const state = files.stat(path);
  if (!state.ok) return false;
  if (state.value.kind !== 'directory') return state.value.kind === 'absent';
  const pointer = files.stat(join(path, '.git'));
  if (pointer.ok && pointer.value.kind !== 'absent') return false;
  const entries = files.list(path);
  return entries.ok && entries.value.length === 0;
}

export function unusable(
  path: string,
  reason: string,
): { readonly ok: false } & ReturnType<typeof failed> {
  return failed({ kind: 'worktree-unusable', workspace: path, reason });
}

/** Marks of a merge, rebase or the like that was begun and not finished, by the file that shows it. */
const OPERATIONS: readonly (readonly [string, readonly string[]])[] = [
  ['rebase-merge', ['rebase', '--quit']],
  ['rebase-apply/applying', ['am', '--quit']],
  ['rebase-apply', ['rebase', '--quit']],
  ['CHERRY_PICK_HEAD', ['cherry-pick', '--quit']],
  ['REVERT_HEAD', ['revert', '--quit']],
  ['sequencer', ['cherry-pick', '--quit']],
  ['MERGE_HEAD', ['merge', '--quit']],
  ['BISECT_START', ['bisect', 'reset', 'HEAD']],
];

/** The commands that end every operation under way in a git directory without touching files. */
export function listOperations(files: Files, gitDirectory: string): readonly (readonly string[])[] {
  return OPERATIONS.filter(([mark]) => {
    const state = files.stat(join(gitDirectory, mark));
    return state.ok && state.value.kind !== 'absent';
  }).map(([, quit]) => quit);
}
