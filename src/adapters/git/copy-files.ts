import { join } from 'node:path';
import type { Result } from '../../domain/result.js';
import { success } from '../../domain/result.js';
import { copyPlainFile, existsAt, listPlainFiles, removePlainFile } from '../plain-files.js';
import { excludePaths } from './exclude-paths.js';
import type { GitContext } from './git-context.js';
import { TASK_FILE } from './worktree-state.js';

export type CopyRequest = {
  /** The person's checkout. */
  readonly repository: string;
  readonly worktree: string;
  readonly patterns: readonly string[];
  /** What an earlier copy brought: what is no longer wanted of it goes. */
  readonly before: readonly string[];
};

export type Copied = {
  readonly paths: readonly string[];
  /** Why each of some files was left out. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
};

/**
 * Brings files of the person's checkout that git does not track into a worktree, with their modes.
 * Nothing outside either tree is read or written, whatever links are in the way.
 */
export async function copyFiles(
  context: GitContext,
  request: CopyRequest,
): Promise<Result<Copied>> {
  const { repository, worktree, before } = request;
  const found = request.patterns.flatMap((pattern) => expand(repository, pattern));
  const wanted = [...new Set(found.flatMap(({ path, reason }) => (reason === null ? [path] : [])))];
  const skipped = found.flatMap(({ path, reason }) => (reason === null ? [] : [{ path, reason }]));
  const tracked = await listTracked(context, worktree, [...wanted, ...before]);
  if (!tracked.ok) return tracked;
  const stale = before.filter((path) => !wanted.includes(path) && !tracked.value.has(path));
  for (const path of stale.filter(isSafePath)) removePlainFile(worktree, path);
  const paths: string[] = [];
  for (const path of wanted) {
    const reason = tracked.value.has(path)
      ? 'git tracks it'
      : copyPlainFile(repository, worktree, path);
    if (reason === null) paths.push(path);
    else skipped.push({ path, reason });
  }
  const shown = await listShown(context, worktree, paths);
  if (!shown.ok) return shown;
  const hidden =
    shown.value.length === 0
      ? success(undefined)
      : await excludePaths(context, repository, shown.value);
  return hidden.ok ? success({ paths, skipped }) : hidden;
}

type Candidate = { readonly path: string; readonly reason: string | null };

/** The files that a pattern stands for; `*` stands for any part of a file's name. */
function expand(root: string, pattern: string): readonly Candidate[] {
  const path = pattern.replace(/^(\.\/+)+/, '');
  const segments = path.split('/');
  if (!isSafePath(path) || path === TASK_FILE)
    return [{ path: pattern, reason: 'it is no path that may be copied' }];
  const name = segments.at(-1) ?? '';
  if (!name.includes('*')) return existsAt(root, path) ? [{ path, reason: null }] : [];
  const folder = segments.slice(0, -1).join('/');
  const matches = new RegExp(`^${name.split('*').map(escapeRegex).join('.*')}$`, 's');
  return listPlainFiles(join(root, folder))
    .filter((each) => matches.test(each) && !isGitName(each))
    .map((each) => ({ path: folder === '' ? each : `${folder}/${each}`, reason: null }))
    .filter((each) => each.path !== TASK_FILE);
}

function isSafePath(path: string): boolean {
  if (path.includes('\0')) return false;
  return path.split('/').every((each) => !['', '.', '..'].includes(each) && !isGitName(each));
}

function isGitName(segment: string): boolean {
  return segment.toLowerCase() === '.git';
}

function escapeRegex(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

async function listTracked(
  context: GitContext,
  directory: string,
  paths: readonly string[],
): Promise<Result<ReadonlySet<string>>> {
  if (paths.length === 0) return success(new Set());
  const argv = ['ls-files', '-z', '--', ...paths.map(literally)];
  const listed = await context.git.list({ directory, argv });
  return listed.ok ? success(new Set(listed.value)) : listed;
}

/** Those of the paths that git would show as new. */
async function listShown(
  context: GitContext,
  directory: string,
  paths: readonly string[],
): Promise<Result<readonly string[]>> {
  if (paths.length === 0) return success([]);
  const argv = ['ls-files', '-z', '--others', '--exclude-standard', '--', ...paths.map(literally)];
  return context.git.list({ directory, argv });
}

function literally(path: string): string {
  return `:(top,literal)${path}`;
}
