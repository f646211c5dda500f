import { join } from 'node:path';
import type { Result } from '../../domain/result.js';
import { success } from '../../domain/result.js';
import { runCommand } from '../run-command.js';
import type { GitContext } from './git-context.js';
import { keepOwnRefs } from './own-refs.js';
import { NO_OBJECT, resolveCommit } from './refs.js';
import { keepSnapshot, salvageCommit } from './salvage.js';
import { findLoneModules } from './submodule-stores.js';
import { listOperations } from './worktree-state.js';

/**
 * Keeps what git has on record of a worktree and nothing else leads to: staged work, commits on no
 * branch, commits of submodules. Its directory may be gone. Null when there is none.
 */
export async function salvageRecord(
  context: GitContext,
  gitDirectory: string,
  taskId: string,
): Promise<Result<string | null>> {
  const ofRefs = await keepOwnRefs(context, { path: gitDirectory, gitDirectory }, taskId);
  if (!ofRefs.ok) return ofRefs;
  const ofWork = await salvageRecordedWork(context, gitDirectory, taskId);
  return ofWork.ok ? success(ofWork.value ?? ofRefs.value) : ofWork;
}

async function salvageRecordedWork(
  context: GitContext,
  gitDirectory: string,
  taskId: string,
): Promise<Result<string | null>> {
  const head = await resolveCommit(context.git, gitDirectory, 'HEAD');
  if (!head.ok) return head;
  const nested = await findLoneModules(context, gitDirectory);
  if (!nested.ok) return nested;
  const trees = await readTrees(context, gitDirectory, head.value !== null);
  if (!trees.ok) return trees;
  const { staged, committed } = trees.value;
  const tree = staged ?? committed;
  const isStaged = staged !== null && staged !== committed;
  const isUnderWay = listOperations(context.files, gitDirectory).length > 0;
  const isWork = isStaged || isUnderWay || nested.value.length > 0;
  if (tree === null || !isWork) {
    if (head.value === null) return success(null);
    return salvageCommit(context, gitDirectory, { commit: head.value, taskId });
  }
  // Git's own directory stands in for the worktree: nothing here asks for a file of it.
  const remains = {
    path: gitDirectory,
    gitDirectory,
    branch: null,
    isDetached: true,
    head: head.value,
  };
  const snapshot = { tree, indexTree: tree, nested: nested.value };
  return keepSnapshot(context, remains, { taskId, snapshot });
}

async function readTrees(
  context: GitContext,
  gitDirectory: string,
  hasCommits: boolean,
): Promise<Result<{ readonly staged: string | null; readonly committed: string | null }>> {
  const argv = ['rev-parse', '--verify', '--end-of-options', 'HEAD^{tree}'];
  const committed = hasCommits
    ? await context.git.text({ directory: gitDirectory, argv })
    : success(null);
  if (!committed.ok) return committed;
  const staged = await readStaged(context, gitDirectory);
  return staged.ok ? success({ staged: staged.value, committed: committed.value }) : staged;
}

/** The index as a tree, through a copy, since a lock may lie beside it; null when there is none to read. */
async function readStaged(
  context: GitContext,
  gitDirectory: string,
): Promise<Result<string | null>> {
  const index = join(gitDirectory, 'index');
  const state = context.files.stat(index);
  if (!state.ok || state.value.kind !== 'file') return success(null);
  const scratch = join(gitDirectory, 'orange-index');
  const copied = await runCommand({
    program: 'cp',
    argv: ['--', index, scratch],
    timeoutMs: 60_000,
  });
  if (!copied.ok) return copied;
  const place = { directory: gitDirectory, env: { GIT_INDEX_FILE: scratch } };
  const tree = await writeTree(context, place);
  for (const path of [scratch, `${scratch}.lock`]) context.files.remove(path);
  return tree;
}

type Place = { readonly directory: string; readonly env: Readonly<Record<string, string>> };

async function writeTree(context: GitContext, place: Place): Promise<Result<string | null>> {
  const { git } = context;
  const listed = await git.run({ ...place, argv: ['ls-files', '--unmerged', '-z'] });
  if (!listed.ok) return listed;
  // An index that cannot be read holds nothing that could be saved.
  if (listed.value.exitCode !== 0) return success(null);
  const settled = settleConflicts(listed.value.stdout);
  if (settled !== '') {
    const argv = ['update-index', '-z', '--index-info'];
    const resolved = await git.perform({ ...place, argv, input: settled });
    if (!resolved.ok) return resolved;
  }
  return git.text({ ...place, argv: ['write-tree'] });
}

/** One entry for each path with conflicts, ours before theirs; all sides are in commits that are kept. */
function settleConflicts(listed: string): string {
  const sides = new Map<string, { readonly stage: string; readonly entry: string }>();
  for (const line of listed.split('\0').filter((each) => each !== '')) {
    const tab = line.indexOf('\t');
    const [mode = '', object = '', stage = ''] = line.slice(0, tab).split(' ');
    const path = line.slice(tab + 1);
    const known = sides.get(path)?.stage;
    const isBetter = known === undefined || stage === '2' || (stage === '3' && known === '1');
    if (isBetter) sides.set(path, { stage, entry: `${mode} ${object}` });
  }
  return [...sides]
    .map(([path, { entry }]) => `0 ${NO_OBJECT}\t${path}\0${entry}\t${path}\0`)
    .join('');
}
