import { join } from 'node:path';
import type { Result } from '../../domain/result.js';
import { DONE, success } from '../../domain/result.js';
import type { GitContext } from './git-context.js';
import { readIndexFacts } from './index-facts.js';
import { resolveCommit } from './refs.js';
import { TASK_FILE } from './worktree-state.js';

/** Everything below the top of a worktree but the task's own file. */
const WORK_PATHS = ['.', `:(top,exclude,literal)${TASK_FILE}`] as const;

/** Whether a worktree holds anything that no commit has; submodules with work in them count. */
export async function hasUncommittedWork(
  context: GitContext,
  worktree: string,
): Promise<Result<boolean>> {
  const isChanged = await hasChanges(context, worktree, WORK_PATHS);
  if (!isChanged.ok || isChanged.value) return isChanged;
  const submodules = await listSubmodules(context, worktree);
  if (!submodules.ok) return submodules;
  for (const submodule of submodules.value) {
    const isTouched = await isSubmoduleTouched(context, submodule);
    if (!isTouched.ok || isTouched.value) return isTouched;
  }
  return success(false);
}

export async function hasChanges(
  context: GitContext,
  directory: string,
  paths: readonly string[],
): Promise<Result<boolean>> {
  const changes = await listChanges(context, directory, { untracked: 'normal', paths });
  return changes.ok ? success(changes.value.length > 0) : changes;
}

/** What differs from the commit, but for work inside of submodules. */
async function listChanges(
  context: GitContext,
  directory: string,
  wanted: { readonly untracked: 'normal' | 'all'; readonly paths: readonly string[] },
): Promise<Result<readonly string[]>> {
  const argv = statusCommand(wanted.untracked, wanted.paths);
  const entries = await context.git.list({ directory, argv });
  if (!entries.ok) return entries;
  return success(entries.value.map((entry) => entry.slice(STATUS_LETTERS)));
}

/** Files of a worktree that differ from what is checked out, or are new and not ignored. */
export function listUncommittedPaths(
  context: GitContext,
  worktree: string,
): Promise<Result<readonly string[]>> {
  return listChanges(context, worktree, { untracked: 'all', paths: WORK_PATHS });
}

/** Two letters and a space stand before each path. */
const STATUS_LETTERS = 3;

function statusCommand(untracked: 'normal' | 'all', paths: readonly string[]): readonly string[] {
  return [
    'status',
    '--porcelain=v1',
    '-z',
    '--no-renames',
    `--untracked-files=${untracked}`,
    // Looking into a submodule would start a git there with the submodule's own configuration.
    '--ignore-submodules=dirty',
    '--',
    ...paths,
  ];
}

export type Submodule = {
  readonly path: string;
  readonly directory: string;
  /** The commit that the index names. */
  readonly recorded: string;
};

/** Submodules, and other repositories added as such, that have a checkout of their own. */
export async function listSubmodules(
  context: GitContext,
  directory: string,
): Promise<Result<readonly Submodule[]>> {
  const index = await readIndexFacts(context, directory);
  if (!index.ok) return index;
  return success(
    index.value.links
      .map(({ path, object }) => ({ path, directory: join(directory, path), recorded: object }))
      .filter((submodule) => exists(context, join(submodule.directory, '.git'))),
  );
}

/** Whether a submodule has uncommitted work or stands on another commit than the index names. */
export async function isSubmoduleTouched(
  context: GitContext,
  submodule: Submodule,
): Promise<Result<boolean>> {
  const head = await resolveCommit(context.git, submodule.directory, 'HEAD');
  if (!head.ok) return head;
  if (head.value !== submodule.recorded) return success(true);
  const isChanged = await hasChanges(context, submodule.directory, ['.']);
  if (!isChanged.ok || isChanged.value) return isChanged;
  const inner = await listSubmodules(context, submodule.directory);
  if (!inner.ok) return inner;
  for (const each of inner.value) {
    const isTouched = await isSubmoduleTouched(context, each);
    if (!isTouched.ok || isTouched.value) return isTouched;
  }
  return success(false);
}

/** Makes files visible to git again that were marked as not to be looked at and still are there. */
export async function revealHiddenFiles(
  context: GitContext,
  worktree: string,
): Promise<Result<void>> {
  const entries = await listIndex(context, worktree);
  if (!entries.ok) return entries;
  const hidden = entries.value
    .filter(isHidden)
    .map((entry) => entry.path)
    .filter((path) => path === TASK_FILE || exists(context, join(worktree, path)));
  return reveal(context, worktree, hidden);
}

/**
 * Makes git look at all files again, so that those that are missing come back with the next reset;
 * a sparse checkout, which leaves some out, stays one.
 */
export async function revealMissingFiles(
  context: GitContext,
  worktree: string,
): Promise<Result<void>> {
  const isHiding = await hidesFiles(context, worktree);
  if (!isHiding.ok || !isHiding.value) return isHiding.ok ? DONE : isHiding;
  const entries = await listIndex(context, worktree);
  if (!entries.ok) return entries;
  return reveal(
    context,
    worktree,
    entries.value.filter(isHidden).map(({ path }) => path),
  );
}

/** Whether git is told not to look at files that the settings of the worktree do not leave out. */
export async function hidesFiles(context: GitContext, worktree: string): Promise<Result<boolean>> {
  const index = await readIndexFacts(context, worktree);
  if (!index.ok || !index.value.hasHidden) return index.ok ? success(false) : index;
  const argv = ['config', '--type=bool', '--get', 'core.sparseCheckout'];
  const isSparse = await context.git.run({ directory: worktree, argv });
  return isSparse.ok ? success(isSparse.value.stdout.trim() !== 'true') : isSparse;
}

async function reveal(
  context: GitContext,
  worktree: string,
  hidden: readonly string[],
): Promise<Result<void>> {
  if (hidden.length === 0) return DONE;
  const input = hidden.map((path) => `${path}\0`).join('');
  for (const flag of ['--no-assume-unchanged', '--no-skip-worktree']) {
    const argv = ['update-index', flag, '-z', '--stdin'];
    const revealed = await context.git.perform({ directory: worktree, argv, input });
    if (!revealed.ok) return revealed;
  }
  return DONE;
}

type IndexEntry = {
  readonly tag: string;
  readonly path: string;
};

function isHidden({ tag }: IndexEntry): boolean {
  return tag === 'S' || tag !== tag.toUpperCase();
}

async function listIndex(
  context: GitContext,
  directory: string,
): Promise<Result<readonly IndexEntry[]>> {
  const lines = await context.git.list({ directory, argv: ['ls-files', '-v', '--stage', '-z'] });
  if (!lines.ok) return lines;
  return success(
    lines.value.map((line) => {
      const tab = line.indexOf('\t');
      const [tag = ''] = line.slice(0, tab).split(' ');
      return { tag, path: line.slice(tab + 1) };
    }),
  );
}

function exists(context: GitContext, path: string): boolean {
  const state = context.files.stat(path);
  return state.ok && state.value.kind !== 'absent';
}
