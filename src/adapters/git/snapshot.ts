import { join } from 'node:path';
import type { Result } from '../../domain/result.js';
import { DONE, success } from '../../domain/result.js';
import { runCommand } from '../run-command.js';
import { CHECKOUT_TIMEOUT_MS } from './git-command.js';
import type { GitContext } from './git-context.js';
import { inOrder } from './git-context.js';
import { isShallowRepository, NO_OBJECT } from './refs.js';
import { storeRawContent } from './store-raw-content.js';
import type { Submodule } from './uncommitted-work.js';
import { isSubmoduleTouched, listSubmodules } from './uncommitted-work.js';
import type { Worktree } from './worktree-state.js';
import { TASK_FILE } from './worktree-state.js';

export type Snapshot = {
  /** The whole working tree, byte for byte, ignored files and the link to the task aside. */
  readonly tree: string;
  /** The index, or null when it holds conflicts. */
  readonly indexTree: string | null;
  /** Directories with a repository of their own whose commits only they have. */
  readonly nested: readonly string[];
};

/**
 * Stores the content of a worktree as a tree, through an index of its own. Whoever does not wait for
 * the daemon's turn names another one: an index that somebody else removes reads as an empty tree.
 */
export async function takeSnapshot(
  context: GitContext,
  worktree: Worktree,
  indexName = 'orange-index',
): Promise<Result<Snapshot>> {
  const scratch = join(worktree.gitDirectory, indexName);
  const area = await openArea(context, worktree, scratch);
  if (!area.ok) return area;
  const indexTree = await context.git.run({ ...area.value.place, argv: ['write-tree'] });
  if (!indexTree.ok) return indexTree;
  const submodules = await listTouchedSubmodules(context, worktree.path);
  if (!submodules.ok) return submodules;
  const recorded = await recordArea(context, area.value, submodules.value);
  for (const path of [scratch, `${scratch}.lock`]) context.files.remove(path);
  if (!recorded.ok) return recorded;
  return success({
    tree: recorded.value.tree,
    nested: recorded.value.nested,
    indexTree: indexTree.value.exitCode === 0 ? indexTree.value.stdout.trim() : null,
  });
}

/** A directory to be stored, and how git is told to see it. */
type Area = {
  readonly place: { readonly directory: string; readonly env: Readonly<Record<string, string>> };
  readonly compareTo: string;
  /** Whether this is the worktree itself, where the task's file lies. */
  readonly isTop: boolean;
  readonly addFlags: readonly string[];
  readonly listFlags: readonly string[];
  readonly scratch: string;
  readonly gitDirectory: string;
};

type Recorded = { readonly tree: string; readonly nested: readonly string[] };

async function openArea(
  context: GitContext,
  worktree: Worktree,
  scratch: string,
): Promise<Result<Area>> {
  const place = { directory: worktree.path, env: { GIT_INDEX_FILE: scratch } };
  const empty = await readEmptyTree(context, worktree.path);
  if (!empty.ok) return empty;
  const compareTo = worktree.head ?? empty.value;
  const index = join(worktree.gitDirectory, 'index');
  for (const path of [scratch, `${scratch}.lock`]) context.files.remove(path);
  // A copy keeps what git knows of unchanged files, so that only changed ones are read.
  const copied = await runCommand({
    program: 'cp',
    argv: ['--', index, scratch],
    timeoutMs: 60_000,
  });
  if (!copied.ok) return copied;
  const probe = await context.git.run({ ...place, argv: ['ls-files', '--unmerged'] });
  if (!probe.ok) return probe;
  if (copied.value.exitCode !== 0 || probe.value.exitCode !== 0) {
    context.files.remove(scratch);
    const rebuilt = await context.git.perform({ ...place, argv: ['read-tree', compareTo] });
    if (!rebuilt.ok) return rebuilt;
  }
  return success({
    place,
    compareTo,
    isTop: true,
    addFlags: ['-A'],
    listFlags: ['--exclude-standard'],
    scratch,
    gitDirectory: worktree.gitDirectory,
  });
}

async function recordArea(
  context: GitContext,
  area: Area,
  submodules: readonly Submodule[],
): Promise<Result<Recorded>> {
  const { git } = context;
  const { directory } = area.place;
  const others = await git.list({
    ...area.place,
    argv: ['ls-files', '--others', '-z', ...area.listFlags, '--', '.'],
  });
  if (!others.ok) return others;
  const inner = others.value.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1));
  const skipped = inner.map((path) => `:(top,exclude,literal)${path}`);
  const added = await inOrder(
    () =>
      git.perform({
        ...area.place,
        argv: ['add', '--sparse', ...area.addFlags, '--', '.', ...skipped],
        timeoutMs: CHECKOUT_TIMEOUT_MS,
      }),
    () => (area.isTop ? setTaskFile(context, area) : DONE),
    () => storeRawContent(context, area.place, area.compareTo),
  );
  if (!added.ok) return added;
  const nested: string[] = [];
  for (const path of [...inner, ...submodules.map((submodule) => submodule.path)]) {
    const below = await recordNested(context, area, path);
    if (!below.ok) return below;
    nested.push(join(directory, path), ...below.value);
  }
  const tree = await git.text({ ...area.place, argv: ['write-tree'] });
  return tree.ok ? success({ tree: tree.value, nested }) : tree;
}

/** Puts the files of a repository inside the worktree where git would note only its commit. */
async function recordNested(
  context: GitContext,
  area: Area,
  path: string,
): Promise<Result<readonly string[]>> {
  const from = join(area.place.directory, path);
  const below = await recordDirectory(context, area, { from, to: path });
  if (!below.ok) return below;
  const isShallow = await isShallowRepository(context.git, from);
  if (!isShallow.ok) return isShallow;
  const store = context.files.stat(join(from, '.git'));
  if (!isShallow.value || !store.ok || store.value.kind !== 'directory') return below;
  // Commits without all their parents cannot be copied as commits, so their files are.
  const copy = { from: join(from, '.git'), to: `${path}/.git-kept-by-orange` };
  const kept = await recordDirectory(context, area, copy);
  return kept.ok ? below : kept;
}

/** Stores everything in a directory, ignored or not, at a place of the area's index. */
async function recordDirectory(
  context: GitContext,
  area: Area,
  move: { readonly from: string; readonly to: string },
): Promise<Result<readonly string[]>> {
  const { gitDirectory } = area;
  const scratch = `${area.scratch}-in`;
  const empty = await readEmptyTree(context, gitDirectory);
  if (!empty.ok) return empty;
  context.files.remove(scratch);
  const inner: Area = {
    place: {
      directory: move.from,
      env: { GIT_DIR: gitDirectory, GIT_WORK_TREE: move.from, GIT_INDEX_FILE: scratch },
    },
    compareTo: empty.value,
    isTop: false,
    // Cleaning takes such a directory with everything in it.
    addFlags: ['-A', '-f'],
    listFlags: [],
    scratch,
    gitDirectory,
  };
  const below = await recordArea(context, inner, []);
  context.files.remove(scratch);
  if (!below.ok) return below;
  const place = (argv: readonly string[]) => context.git.perform({ ...area.place, argv });
  const placed = await inOrder(
    () => place(['update-index', '--force-remove', '--', move.to]),
    () => place(['read-tree', `--prefix=${move.to}/`, below.value.tree]),
  );
  return placed.ok ? success(below.value.nested) : placed;
}

async function listTouchedSubmodules(
  context: GitContext,
  worktree: string,
): Promise<Result<readonly Submodule[]>> {
  const submodules = await listSubmodules(context, worktree);
  if (!submodules.ok) return submodules;
  const touched: Submodule[] = [];
  for (const submodule of submodules.value) {
    const isTouched = await isSubmoduleTouched(context, submodule);
    if (!isTouched.ok) return isTouched;
    if (isTouched.value) touched.push(submodule);
  }
  return success(touched);
}

/** Keeps the link to the task out, whatever was added; a plain file may be the only copy of a text. */
async function setTaskFile(context: GitContext, area: Area): Promise<Result<void>> {
  const state = context.files.stat(join(area.place.directory, TASK_FILE));
  if (!state.ok) return state;
  if (state.value.kind === 'file') {
    return context.git.perform({ ...area.place, argv: ['add', '--sparse', '-f', '--', TASK_FILE] });
  }
  const committed = await context.git.list({
    ...area.place,
    argv: ['ls-tree', '-z', area.compareTo, '--', TASK_FILE],
  });
  if (!committed.ok) return committed;
  const entry = committed.value[0] ?? `0 ${NO_OBJECT}\t${TASK_FILE}`;
  return context.git.perform({
    ...area.place,
    argv: ['update-index', '-z', '--index-info'],
    input: `${entry}\0`,
  });
}

function readEmptyTree(context: GitContext, directory: string): Promise<Result<string>> {
  return context.git.text({
    directory,
    argv: ['hash-object', '-w', '-t', 'tree', '--stdin'],
    input: '',
  });
}
