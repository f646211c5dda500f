import { failpoint } from '../../domain/failpoint.js';
import type { Result } from '../../domain/result.js';
import { DONE, failed, success } from '../../domain/result.js';
import type { MergeRequest } from '../../domain/merge-request.js';
import { buildMerge } from './build-merge.js';
import type { GitContext } from './git-context.js';
import { inOrder, inRepositoryTurn } from './git-context.js';
import { mergeRefs, type MergeRefs } from './merge-refs.js';
import type { Tips } from './merge-steps.js';
import { foreseeMove, moveBase } from './move-base.js';
import { pushBranch } from './push-branch.js';
import { branchRef, isAncestor, resolveCommit } from './refs.js';
import { checkReviewed } from './reviewed-head.js';
import { tryInScratch } from './scratch-worktree.js';
import type { StartPoint } from './start-point.js';
import { findStartPoint } from './start-point.js';
import { hasUncommittedWork } from './uncommitted-work.js';
import { listOperations, readWorktree } from './worktree-state.js';

export type Merged = { readonly commit: string };

/**
 * Builds the merge, has it tried, keeps it under `refs/orange/merged/<task>`, then moves the base.
 * Nothing is half merged at any point, and a repeat after success gives the same commit. Must run in
 * the repository's merge turn; only what touches refs takes the repository's own turn, so that a long
 * trial holds up nobody but other merges.
 */
export async function mergeBranch(
  context: GitContext,
  request: MergeRequest,
): Promise<Result<Merged>> {
  const refs = mergeRefs(request.taskId);
  if (!refs.ok) return refs;
  const inTurn = <T>(step: () => Promise<Result<T>>) =>
    inRepositoryTurn(context, request.repository, step);
  const done = await inTurn(() => findEarlier(context, request, refs.value));
  if (!done.ok) return done;
  if (done.value !== null) {
    const { commit } = done.value;
    return inTurn(() => finish(context, request, commit));
  }
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const built = await inTurn(() => build(context, request, refs.value));
    if (!built.ok) return built;
    const { commit } = built.value;
    const tried = await tryResult(context, request, built.value);
    if (!tried.ok) return tried;
    const moved = await inTurn(() => adopt(context, request, refs.value, built.value));
    if (!moved.ok) return moved;
    if (moved.value === 'done') return inTurn(() => finish(context, request, commit));
  }
  return refuse(request, 'base-moved');
}

/** A merge that went through before; else whether one can be begun at all. */
async function findEarlier(
  context: GitContext,
  request: MergeRequest,
  refs: MergeRefs,
): Promise<Result<Merged | null>> {
  const start = await findStartPoint(context.git, request.repository, request.base);
  if (!start.ok) return start;
  const done = await findDone(context, request, { refs, start: start.value });
  if (!done.ok) return done;
  if (done.value !== null) return success({ commit: done.value });
  const saved = await refuseUnsavedWork(context, request);
  return saved.ok ? success(null) : saved;
}

// One automatic rebuild: a base that moves twice within a merge has somebody at work on it.
const MAX_ATTEMPTS = 2;

/** The commit of a merge that went through before: the base has it, and the branch has nothing newer. */
async function findDone(
  context: GitContext,
  request: MergeRequest,
  known: { readonly refs: MergeRefs; readonly start: StartPoint },
): Promise<Result<string | null>> {
  const { git } = context;
  const { repository } = request;
  const result = await resolveCommit(git, repository, known.refs.result);
  if (!result.ok) return result;
  if (result.value === null || known.start.local === null) return success(null);
  const range = { older: result.value, newer: known.start.local };
  const isIn = await isAncestor(git, repository, range);
  if (!isIn.ok) return isIn;
  const source = await resolveCommit(git, repository, known.refs.source);
  if (!source.ok) return source;
  const branch = await resolveCommit(git, repository, branchRef(request.branch));
  if (!branch.ok) return branch;
  const isSame = branch.value === null || branch.value === source.value;
  return success(isIn.value && isSame ? result.value : null);
}

/** Refuses to leave anything behind that no commit of the branch has. */
export async function refuseUnsavedWork(
  context: GitContext,
  request: MergeRequest,
): Promise<Result<void>> {
  if (request.worktree === null) return DONE;
  const worktree = await readWorktree(context, request.repository, request.worktree);
  if (!worktree.ok) return worktree;
  if (worktree.value === null) return DONE;
  const isBusy = listOperations(context.files, worktree.value.gitDirectory).length > 0;
  const isDirty = await hasUncommittedWork(context, request.worktree);
  if (!isDirty.ok) return isDirty;
  const { head } = worktree.value;
  const tip = branchRef(request.branch);
  // An agent may have gone to a branch of its own: what it committed there would be left behind.
  const hasAll =
    head !== null
      ? await isAncestor(context.git, request.repository, { older: head, newer: tip })
      : success(true);
  if (!hasAll.ok) return hasAll;
  if (isBusy || isDirty.value) return refuse(request, 'uncommitted-work', request.worktree);
  return hasAll.value ? DONE : refuse(request, 'commits-elsewhere', request.worktree);
}

/** A result that could become the base, and what the base and the branch were for it. */
type Built = {
  readonly commit: string;
  readonly branch: string;
  readonly from: string | null;
};

async function build(
  context: GitContext,
  request: MergeRequest,
  refs: MergeRefs,
): Promise<Result<Built>> {
  const { git } = context;
  const { repository } = request;
  const start = await findStartPoint(git, repository, request.base);
  if (!start.ok) return start;
  const tips = await readTips(context, request, start.value);
  if (!tips.ok) return tips;
  const { base, branch } = tips.value;
  const asReviewed = await checkReviewed(context, request, branch);
  if (!asReviewed.ok) return asReviewed;
  const earlier = await resolveCommit(git, repository, refs.result);
  if (!earlier.ok) return earlier;
  failpoint('merge.before-build');
  const built = await buildMerge(context, request, { tips: tips.value, earlier: earlier.value });
  if (!built.ok) {
    const { failure } = built;
    return failure.kind === 'merge-conflict' ? failed({ ...failure, onto: base }) : built;
  }
  failpoint('merge.built');
  return success({ commit: built.value, branch, from: start.value.local });
}

/** Has the result checked, unless it can be seen before that the base could not take it. */
async function tryResult(
  context: GitContext,
  request: MergeRequest,
  { commit, from }: Built,
): Promise<Result<void>> {
  const { repository, trial } = request;
  if (trial === null) return DONE;
  const foreseen = await inRepositoryTurn(context, repository, () =>
    foreseeMove(context, request, { to: commit, from }),
  );
  return foreseen.ok ? tryInScratch(context, { repository, commit }, trial) : foreseen;
}

async function adopt(
  context: GitContext,
  request: MergeRequest,
  refs: MergeRefs,
  { commit, branch, from }: Built,
): Promise<Result<'done' | 'moved'>> {
  const tip = await resolveCommit(context.git, request.repository, branchRef(request.branch));
  if (!tip.ok) return tip;
  // What was tried is not what the branch has now.
  if (tip.value !== branch) return success('moved');
  const kept = await keepResult(context, request, [
    { ref: refs.result, commit },
    { ref: refs.source, commit: branch },
  ]);
  if (!kept.ok) return kept;
  failpoint('merge.before-base-moves');
  const moved = await moveBase(context, request, { to: commit, from });
  failpoint('merge.base-moved');
  return moved;
}

/** What is merged into what; the remote's base when the local one is merely behind it. */
export async function readTips(
  context: GitContext,
  request: MergeRequest,
  start: StartPoint,
): Promise<Result<Tips>> {
  const { git } = context;
  const { repository } = request;
  const branch = await resolveCommit(git, repository, branchRef(request.branch));
  if (!branch.ok) return branch;
  if (branch.value === null) return failed({ kind: 'branch-missing', branch: request.branch });
  const base = await chooseBase(context, request, { start, branch: branch.value });
  if (!base.ok) return base;
  const tips = { base: base.value, branch: branch.value };
  const isIn = await isAncestor(git, repository, { older: tips.branch, newer: tips.base });
  if (!isIn.ok) return isIn;
  return isIn.value ? refuse(request, 'nothing-to-merge') : success(tips);
}

async function chooseBase(
  context: GitContext,
  request: MergeRequest,
  known: { readonly start: StartPoint; readonly branch: string },
): Promise<Result<string>> {
  const { git } = context;
  const { repository } = request;
  const { commit, local } = known.start;
  if (local === null || commit === local) return success(commit);
  const isBehind = await isAncestor(git, repository, { older: local, newer: commit });
  if (!isBehind.ok) return isBehind;
  if (isBehind.value) return success(commit);
  // Both sides have commits of their own. A branch that grew from the remote's would carry those over.
  const grewFromRemote = await isAncestor(git, repository, { older: commit, newer: known.branch });
  if (!grewFromRemote.ok) return grewFromRemote;
  return grewFromRemote.value ? refuse(request, 'not-fast-forward') : success(local);
}

async function keepResult(
  context: GitContext,
  request: MergeRequest,
  kept: readonly { readonly ref: string; readonly commit: string }[],
): Promise<Result<void>> {
  return context.git.perform({
    directory: request.repository,
    argv: ['update-ref', '--create-reflog', '-m', 'orange: merge', '--stdin'],
    input: kept.map(({ ref, commit }) => `update ${ref} ${commit}\n`).join(''),
  });
}

async function finish(
  context: GitContext,
  request: MergeRequest,
  commit: string,
): Promise<Result<Merged>> {
  const pushed = await inOrder(() =>
    request.push ? pushBranch(context, request.repository, request.base) : DONE,
  );
  return pushed.ok ? success({ commit }) : pushed;
}

type Reason =
  | 'base-moved'
  | 'nothing-to-merge'
  | 'not-fast-forward'
  | 'uncommitted-work'
  | 'commits-elsewhere';

function refuse(request: MergeRequest, reason: Reason, where?: string): ReturnType<typeof failed> {
  return failed({
    kind: 'merge-refused',
    base: request.base,
    reason,
    ...(where === undefined ? {} : { where }),
  });
}
