import { basename, dirname, join } from 'node:path';
import type { Result } from '../../domain/result.js';
import { success } from '../../domain/result.js';
import type { Files } from '../../ports.js';
import { runCommand } from '../run-command.js';
import type { Git } from './git-command.js';
import type { GitContext } from './git-context.js';
import { findCommonDirectory } from './git-context.js';
import { seeHead } from './ref-files.js';
import { shortBranch } from './refs.js';

export type ListedWorktree = {
  readonly path: string;
  readonly branch: string | null;
  readonly head: string | null;
  readonly isBare: boolean;
  /** Why git will not touch it, e.g. `initializing`; null when it is not locked. */
  readonly lock: string | null;
  /** Its directory is gone. */
  readonly isPrunable: boolean;
};

export async function listWorktrees(
  git: Git,
  repository: string,
): Promise<Result<readonly ListedWorktree[]>> {
  const output = await git.text({
    directory: repository,
    argv: ['worktree', 'list', '--porcelain', '-z'],
  });
  return output.ok ? success(parseWorktrees(output.value)) : output;
}

/** Reads `git worktree list --porcelain -z`. */
export function parseWorktrees(output: string): readonly ListedWorktree[] {
  return output
    .split('\0\0')
    .filter((record) => record !== '')
    .map((record) => {
      const attributes = new Map(
        record.split('\0').map((line): [string, string] => {
          const space = line.indexOf(' ');
          return space < 0 ? [line, ''] : [line.slice(0, space), line.slice(space + 1)];
        }),
      );
      return {
        path: attributes.get('worktree') ?? '',
        branch: shortBranch(attributes.get('branch') ?? ''),
        head: attributes.get('HEAD') ?? null,
        isBare: attributes.has('bare'),
        lock: attributes.get('locked') ?? null,
        isPrunable: attributes.has('prunable'),
      };
    });
}

/** Git's entry for a path, which it keeps without symbolic links. */
export async function findListed(
  context: GitContext,
  repository: string,
  path: string,
): Promise<Result<ListedWorktree | null>> {
  const worktrees = await listWorktrees(context.git, repository);
  if (!worktrees.ok) return worktrees;
  const exact = worktrees.value.find((entry) => entry.path === path);
  if (exact !== undefined) return success(exact);
  const parent = await runCommand({
    program: 'pwd',
    argv: ['-P'],
    cwd: dirname(path),
    timeoutMs: 10_000,
  });
  if (!parent.ok) return success(null);
  const physical = join(parent.value.stdout.replace(/\n$/, ''), basename(path));
  return success(worktrees.value.find((entry) => entry.path === physical) ?? null);
}

/** Where a branch is checked out or being rebased; a worktree whose directory is gone counts for nothing. */
export async function findCheckout(
  context: GitContext,
  repository: string,
  branch: string,
): Promise<Result<string | null>> {
  const common = await findCommonDirectory(context, repository);
  if (!common.ok) return common;
  if (isCheckedOutNowhere(context.files, common.value, branch)) return success(null);
  const worktrees = await listWorktrees(context.git, repository);
  if (!worktrees.ok) return worktrees;
  const holder = worktrees.value.find((entry) => entry.branch === branch && !entry.isPrunable);
  if (holder !== undefined) return success(holder.path);
  return success(findRebase(context.files, common.value, branch));
}

/** Whether git's own files leave no doubt that a branch is neither checked out nor being rebased. */
function isCheckedOutNowhere(files: Files, common: string, branch: string): boolean {
  return listGitDirectories(files, common).every((directory) => {
    const head = seeHead(files, directory);
    if (head === null) return false;
    const isHere = head.kind === 'branch' && shortBranch(head.ref) === branch;
    return !isHere && readSuspendedBranch(files, directory) !== branch;
  });
}

function listGitDirectories(files: Files, common: string): readonly string[] {
  const entries = files.list(join(common, 'worktrees'));
  const linked = entries.ok ? entries.value.map((name) => join(common, 'worktrees', name)) : [];
  return [common, ...linked];
}

/** The branch that a rebase or bisect under way in a git directory will return to. */
export function readSuspendedBranch(files: Files, gitDirectory: string): string | null {
  const notes = ['rebase-merge/head-name', 'rebase-apply/head-name', 'BISECT_START'];
  for (const note of notes) {
    const read = files.readText(join(gitDirectory, note), 4096);
    const name = read.ok ? read.value.text.trim() : '';
    const branch = note === 'BISECT_START' ? name : shortBranch(name);
    if (branch !== null && branch !== '') return branch;
  }
  return null;
}

function findRebase(files: Files, common: string, branch: string): string | null {
  for (const directory of listGitDirectories(files, common)) {
    if (readSuspendedBranch(files, directory) !== branch) continue;
    const pointer = files.readText(join(directory, 'gitdir'), 4096);
    const target = pointer.ok ? pointer.value.text.trim() : directory;
    return target.replace(/\/\.git$/, '');
  }
  return null;
}
