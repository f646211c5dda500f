import { join } from 'node:path';
import { failpoint } from '../../domain/failpoint.js';
import type { Result } from '../../domain/result.js';
import { DONE, success } from '../../domain/result.js';
import { readSalvageRef } from '../../domain/salvage.js';
import { readCommit, storeCommit } from './commit-objects.js';
import type { GitContext } from './git-context.js';
import { inOrder } from './git-context.js';
import {
  changeRef,
  isKeptByRef,
  isShallowRepository,
  NO_OBJECT,
  resolveCommit,
  taskRef,
} from './refs.js';
import { WORK_SUBJECT } from './salvage-refs.js';
import type { Snapshot } from './snapshot.js';
import { takeSnapshot } from './snapshot.js';
import { hasChanges, hasUncommittedWork } from './uncommitted-work.js';
import type { Worktree } from './worktree-state.js';
import { listOperations, TASK_FILE } from './worktree-state.js';

/**
 * Keeps what a worktree holds and no branch leads to under `refs/orange/salvage/<task>/<n>`: a
 * commit of the whole working tree with HEAD and the index as parents. Null when nothing is at
 * risk; the same content is kept once.
 */
export async function salvageWork(
  context: GitContext,
  worktree: Worktree,
  taskId: string,
): Promise<Result<string | null>> {
  const isNeeded = await isWorkAtRisk(context, worktree);
  if (!isNeeded.ok) return isNeeded;
  if (!isNeeded.value) return success(null);
  const snapshot = await takeSnapshot(context, worktree);
  if (!snapshot.ok) return snapshot;
  failpoint('salvage.snapshot-taken');
  return keepSnapshot(context, worktree, { taskId, snapshot: snapshot.value });
}

/** Keeps a snapshot under the next number of its task, unless the one before is the same. */
export async function keepSnapshot(
  context: GitContext,
  worktree: Worktree,
  { taskId, snapshot }: { readonly taskId: string; readonly snapshot: Snapshot },
): Promise<Result<string | null>> {
  const message = await describeSnapshot(context, worktree, { taskId, snapshot });
  if (!message.ok) return message;
  const place = await findPlace(context, worktree.path, taskId);
  if (!place.ok) return place;
  const { latest, number } = place.value;
  if (latest !== null) {
    const before = await readCommit(context.git, worktree.path, latest);
    if (!before.ok) return before;
    const isSame = before.value.tree === snapshot.tree && before.value.message === message.value;
    if (isSame) return success(latest);
  }
  const ref = `${place.value.folder}/${number}`;
  const stored = await inOrder(
    () => keepNested(context, worktree.path, { taskId, number, nested: snapshot.nested }),
    () => storeSalvage(context, worktree, { ref, snapshot, message: message.value }),
  );
  return stored.ok ? success(ref) : stored;
}

/** Keeps one commit that nothing else may lead to any more, for a task. */
export async function salvageCommit(
  context: GitContext,
  repository: string,
  lost: { readonly commit: string; readonly taskId: string; readonly asideFrom?: string },
): Promise<Result<string | null>> {
  const isKept = await isKeptByRef(context.git, repository, lost.commit, lost.asideFrom);
  if (!isKept.ok) return isKept;
  if (isKept.value) return success(null);
  const place = await findPlace(context, repository, lost.taskId);
  if (!place.ok) return place;
  const ref = `${place.value.folder}/${place.value.number}`;
  const change = { ref, to: lost.commit, from: NO_OBJECT };
  const kept = await changeRef(context.git, repository, change);
  return kept.ok ? success(ref) : kept;
}

async function isWorkAtRisk(context: GitContext, worktree: Worktree): Promise<Result<boolean>> {
  if (listOperations(context.files, worktree.gitDirectory).length > 0) return success(true);
  const isDirty = await hasUncommittedWork(context, worktree.path);
  if (!isDirty.ok || isDirty.value) return isDirty;
  const isTaskFileChanged = await hasPlainTaskFile(context, worktree.path);
  if (!isTaskFileChanged.ok || isTaskFileChanged.value) return isTaskFileChanged;
  if (worktree.head === null) return success(false);
  const isKept = await isKeptByRef(context.git, worktree.path, worktree.head);
  return isKept.ok ? success(!isKept.value) : isKept;
}

/** Whether TASK.md is a file of its own in place of the link, and no commit has it. */
async function hasPlainTaskFile(context: GitContext, worktree: string): Promise<Result<boolean>> {
  const state = context.files.stat(join(worktree, TASK_FILE));
  if (!state.ok) return state;
  if (state.value.kind !== 'file') return success(false);
  const argv = ['ls-files', '--error-unmatch', '--', TASK_FILE];
  const isTracked = await context.git.ask({ directory: worktree, argv });
  if (!isTracked.ok) return isTracked;
  return isTracked.value ? hasChanges(context, worktree, [TASK_FILE]) : success(true);
}

/** Says everything about a snapshot that its tree does not, so that equal texts mean equal work. */
async function describeSnapshot(
  context: GitContext,
  worktree: Worktree,
  facts: { readonly taskId: string; readonly snapshot: Snapshot },
): Promise<Result<string>> {
  const lines = [
    `${WORK_SUBJECT}${facts.taskId}`,
    '',
    `Head: ${worktree.head ?? 'none'}`,
    `Index: ${facts.snapshot.indexTree ?? 'conflicted'}`,
  ];
  for (const directory of facts.snapshot.nested) {
    const head = await resolveCommit(context.git, directory, 'HEAD');
    if (!head.ok) return head;
    lines.push(`Nested: ${JSON.stringify(directory)} ${head.value ?? 'none'}`);
  }
  return success(`${lines.join('\n')}\n`);
}

async function findPlace(
  context: GitContext,
  directory: string,
  taskId: string,
): Promise<
  Result<{ readonly folder: string; readonly latest: string | null; readonly number: number }>
> {
  const folder = taskRef('salvage', taskId);
  if (!folder.ok) return folder;
  // A number is never used again: a dropped one may come back, and copies inside have it, too.
  const listed = await context.git.text({
    directory,
    argv: [
      'for-each-ref',
      '--format=%(refname)',
      `${folder.value}/`,
      `refs/orange/dropped/${taskId}/`,
    ],
  });
  if (!listed.ok) return listed;
  const names = listed.value.split('\n').flatMap((ref) => readSalvageRef(ref) ?? []);
  const kept = names.filter(({ state }) => state === 'salvage').map(({ number }) => number);
  const latest = Math.max(0, ...kept);
  return success({
    folder: folder.value,
    latest: latest === 0 ? null : `${folder.value}/${latest}`,
    number: Math.max(0, ...names.map(({ number }) => number)) + 1,
  });
}

async function storeSalvage(
  context: GitContext,
  worktree: Worktree,
  salvage: { readonly ref: string; readonly snapshot: Snapshot; readonly message: string },
): Promise<Result<void>> {
  const { git } = context;
  const { snapshot, message, ref } = salvage;
  const head = worktree.head === null ? [] : [worktree.head];
  const index = await storeCommit(git, worktree.path, {
    tree: snapshot.indexTree ?? snapshot.tree,
    parents: head,
    message: 'orange: the index\n',
  });
  if (!index.ok) return index;
  const others = await readOperationHeads(context, worktree);
  if (!others.ok) return others;
  const parents = [...new Set([...head, index.value, ...others.value])];
  const commit = await storeCommit(git, worktree.path, { tree: snapshot.tree, parents, message });
  if (!commit.ok) return commit;
  failpoint('salvage.before-ref');
  context.log.write({ event: 'git.salvaged', ref, worktree: worktree.path });
  return changeRef(git, worktree.path, { ref, to: commit.value, from: NO_OBJECT });
}

/** The other sides of a merge, rebase or cherry-pick under way. */
async function readOperationHeads(
  context: GitContext,
  worktree: Worktree,
): Promise<Result<readonly string[]>> {
  const merged = context.files.readText(join(worktree.gitDirectory, 'MERGE_HEAD'), 65_536);
  const names = merged.ok ? merged.value.text.split('\n').filter((line) => line !== '') : [];
  const heads: string[] = [];
  const marks = ['CHERRY_PICK_HEAD', 'REVERT_HEAD', 'REBASE_HEAD'].filter((mark) => {
    const state = context.files.stat(join(worktree.gitDirectory, mark));
    return state.ok && state.value.kind === 'file';
  });
  for (const name of [...names, ...marks]) {
    const head = await resolveCommit(context.git, worktree.path, name);
    if (!head.ok) return head;
    if (head.value !== null) heads.push(head.value);
  }
  return success(heads);
}

/** Copies the commits of repositories inside the worktree, which would go with their directories. */
async function keepNested(
  context: GitContext,
  worktree: string,
  salvage: {
    readonly taskId: string;
    readonly number: number;
    readonly nested: readonly string[];
  },
): Promise<Result<void>> {
  for (const [index, directory] of salvage.nested.entries()) {
    const isShallow = await isShallowRepository(context.git, directory);
    if (!isShallow.ok) return isShallow;
    // The snapshot has its whole store instead.
    if (isShallow.value) continue;
    const folder = `refs/orange/nested/${salvage.taskId}/${salvage.number}/${index}`;
    const refspecs = [`+refs/heads/*:${folder}/heads/*`, `+refs/tags/*:${folder}/tags/*`];
    for (const name of ['HEAD', 'refs/stash']) {
      const commit = await resolveCommit(context.git, directory, name);
      if (!commit.ok) return commit;
      if (commit.value !== null) refspecs.push(`+${name}:${folder}/${name.replace('refs/', '')}`);
    }
    const copied = await context.git.perform({
      directory: worktree,
      argv: [
        'fetch',
        '--quiet',
        '--no-tags',
        '--no-write-fetch-head',
        '--upload-pack=git-upload-pack',
        '--',
        directory,
        ...refspecs,
      ],
      timeoutMs: 120_000,
    });
    if (!copied.ok) return copied;
  }
  return DONE;
}
