import { join } from 'node:path';
import { failpoint } from '../../domain/failpoint.js';
import type { Result } from '../../domain/result.js';
import { DONE, failed, success } from '../../domain/result.js';
import type { BindRequest } from '../../ports.js';
import { checkBranchConflict, checkBranchName } from './branch-names.js';
import { claimBranch, isOn, refuseTakenBranch, type Bound } from './claim-branch.js';
import { ensureWorktree } from './ensure-worktree.js';
import type { FetchRemote } from './fetch-remote.js';
import { CHECKOUT_TIMEOUT_MS } from './git-command.js';
import type { GitContext } from './git-context.js';
import { findCommonDirectory, inBranchTurn, inOrder, inRepositoryTurn } from './git-context.js';
import { type TakenProof, doesHold, dropProof, takeProof } from './idle-proofs.js';
import { readIndexFacts } from './index-facts.js';
import { lookUpRefs } from './look-up-refs.js';
import { isNameFree } from './ref-files.js';
import { branchRef, remoteBranchRef } from './refs.js';
import { refuseOccupied } from './refuse-occupied.js';
import { releaseWorktree, verifyIdle } from './release-worktree.js';
import { salvageCommit } from './salvage.js';
import { clearStaleBranchLock, clearStaleLocks } from './stale-locks.js';
import { findStartQuickly } from './start-point.js';
import { resetSubmodules } from './submodules.js';
import { hideTaskFile } from './task-file.js';
import { hasUncommittedWork } from './uncommitted-work.js';
import type { Worktree } from './worktree-state.js';
import { listOperations, needWorktree, TASK_FILE } from './worktree-state.js';

/** Puts a worktree on a task's branch; one that is there already is left exactly as it is. */
export async function bindWorktree(
  context: GitContext,
  request: BindRequest,
  fetchRemote: FetchRemote,
): Promise<Result<Bound>> {
  const { repository, branch } = request;
  const isName = await checkBranchName(context.git, branch);
  if (!isName.ok) return isName;
  const beganAtMs = context.clock.monotonicMs();
  const worktree = await ensureWorktree(context, request);
  if (!worktree.ok) return worktree;
  if (worktree.value.branch === branch && worktree.value.head !== null) {
    return stay(context, request, { head: worktree.value.head });
  }
  const prepared = await inOrder(
    () => refuseTakenBranch(context, request),
    () => refuseOccupied(context, request.worktree),
    () => clearStaleLocks(context, worktree.value),
    () => clearStaleBranchLock(context, request),
    () => fetchRemote(context, repository),
  );
  if (!prepared.ok) return prepared;
  failpoint('bind.begun');
  // Its thread answers while the rest is found out.
  const proof = takeProof(context, request.worktree);
  // To fetch or to wait takes its time, and somebody may have gone elsewhere in there meanwhile.
  const isFresh = context.clock.monotonicMs() - beganAtMs < FRESH_MS;
  const now = isFresh ? worktree : await needWorktree(context, request);
  if (!now.ok) return now;
  const quick = await bindWarm(context, request, { worktree: now.value, proof });
  if (!quick.ok) return quick;
  return quick.value === null ? bindSeen(context, request) : success(quick.value);
}

/** What was read of a worktree no longer ago is not read again. */
const FRESH_MS = 20;

/** A bind that was cut off may have left the worktree on the branch with somebody's work in it. */
async function stay(
  context: GitContext,
  request: BindRequest,
  bound: Bound,
): Promise<Result<Bound>> {
  const hidden = await hideTaskFile(context, request.repository, request.worktree);
  if (!hidden.ok) return hidden;
  const isTouched =
    request.isFirst === true ? await hasUncommittedWork(context, request.worktree) : success(false);
  if (!isTouched.ok) return isTouched;
  return isTouched.value ? bindAnew(context, request) : success(bound);
}

/** Saves and clears what is in the worktree, and begins once more. */
async function bindAnew(context: GitContext, request: BindRequest): Promise<Result<Bound>> {
  const released = await releaseWorktree(context, request);
  return released.ok ? bindSeen(context, request) : released;
}

const MAX_ATTEMPTS = 3;

async function bindSeen(context: GitContext, request: BindRequest): Promise<Result<Bound>> {
  dropProof(context, request.worktree);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const head = await makeIdle(context, request);
    if (!head.ok) return head;
    const bound = await switchToBranch(context, request, head.value);
    if (!bound.ok) return bound;
    if (bound.value !== 'moved') return success(bound.value);
  }
  return failed({ kind: 'branch-in-use', branch: request.branch, where: request.repository });
}

/**
 * Makes a new branch where nothing has to be checked out, while the files are still looked through;
 * null when that will not do. Somebody's work is none the worse for the branch.
 */
async function bindWarm(
  context: GitContext,
  request: BindRequest,
  { worktree, proof }: { readonly worktree: Worktree; readonly proof: TakenProof | null },
): Promise<Result<Bound | null>> {
  if (!looksIdle(context, worktree)) return success(null);
  const target = await findTarget(context, request);
  if (!target.ok) return target;
  const commit = target.value;
  const isAsFound = await isNothingToCheckOut(context, request, { head: worktree.head, commit });
  if (!isAsFound.ok || !isAsFound.value) return isAsFound.ok ? success(null) : isAsFound;
  const hidden = await hideTaskFile(context, request.repository, worktree.path);
  if (!hidden.ok) return hidden;
  const [idle, bound] = await Promise.all([
    verifyStillIdle(context, request.repository, { worktree, proof }),
    inBranchTurn(context, request, () => claimBranch(context, request, { commit, kind: 'new' })),
  ]);
  if (!bound.ok) return bound;
  if (bound.value === 'moved') return success(null);
  return idle.ok ? success(bound.value) : bindAnew(context, request);
}

/** One that was looked through before, and in which nothing has stirred since, is not looked at again. */
async function verifyStillIdle(
  context: GitContext,
  repository: string,
  { worktree, proof }: { readonly worktree: Worktree; readonly proof: TakenProof | null },
): Promise<Result<void>> {
  const isStill = proof !== null && (await doesHold(context, worktree, proof));
  return isStill ? DONE : context.looks.run(repository, () => verifyIdle(context, worktree));
}

/** Whether the branch is a new one on what is checked out, without files that need care. */
async function isNothingToCheckOut(
  context: GitContext,
  request: BindRequest,
  { head, commit }: { readonly head: string | null; readonly commit: string },
): Promise<Result<boolean>> {
  const { repository, worktree, branch } = request;
  if (head !== commit) return success(false);
  const index = await readIndexFacts(context, worktree);
  if (!index.ok) return index;
  if (index.value.hasTaskFile || index.value.links.length > 0) return success(false);
  const known = await lookUpRefs(context, repository, [branchRef(branch)]);
  return known.ok ? success(known.value[0] === null) : known;
}

function looksIdle({ files }: GitContext, worktree: Worktree): boolean {
  const taskFile = files.stat(join(worktree.path, TASK_FILE));
  const isBare = taskFile.ok && taskFile.value.kind === 'absent';
  const hasOperation = listOperations(files, worktree.gitDirectory).length > 0;
  return worktree.isDetached && isBare && !hasOperation;
}

/** Saves and clears what somebody left in the worktree; says what is checked out if it was idle. */
async function makeIdle(context: GitContext, request: BindRequest): Promise<Result<string | null>> {
  const worktree = await needWorktree(context, request);
  if (!worktree.ok) return worktree;
  const idle = await verifyIdle(context, worktree.value);
  const stays = await isOn(context, request, worktree.value.head);
  if (!stays.ok) return stays;
  if (idle.ok && stays.value) return success(worktree.value.head);
  const released = await releaseWorktree(context, request);
  return released.ok ? success(null) : released;
}

/**
 * Checks the files out on no branch, which may take long, and then claims the branch in its
 * turn, so that a kill in between leaves nothing on the branch that it does not have.
 */
async function switchToBranch(
  context: GitContext,
  request: BindRequest,
  current: string | null,
): Promise<Result<Bound | 'moved'>> {
  const target = await findTarget(context, request);
  if (!target.ok) return target;
  const { worktree, repository } = request;
  const commit = target.value;
  const checkedOut = await inOrder(
    () => (commit === current ? success(undefined) : leave(context, request, current)),
    () => (commit === current ? success(undefined) : checkOut(context, worktree, commit)),
    () => hideTaskFile(context, repository, worktree),
  );
  if (!checkedOut.ok) return checkedOut;
  const claim = (kind: 'new' | 'existing') => () => claimBranch(context, request, { commit, kind });
  const known = await lookUpRefs(context, repository, [branchRef(request.branch)]);
  if (!known.ok) return known;
  // Git makes a branch only once, whoever else makes others; only going to one that is there needs a turn.
  if (known.value[0] === null) return inBranchTurn(context, request, claim('new'));
  return inRepositoryTurn(context, repository, () =>
    inBranchTurn(context, request, claim('existing')),
  );
}

/** Somebody may have committed in an idle worktree, on no branch: only HEAD leads to that. */
async function leave(
  context: GitContext,
  { repository, taskId }: BindRequest,
  current: string | null,
): Promise<Result<unknown>> {
  return current === null ? DONE : salvageCommit(context, repository, { commit: current, taskId });
}

function checkOut(context: GitContext, directory: string, commit: string): Promise<Result<void>> {
  return inOrder(
    () =>
      context.git.perform({
        directory,
        argv: ['checkout', '--quiet', '--detach', commit, '--'],
        timeoutMs: CHECKOUT_TIMEOUT_MS,
      }),
    () => alignSubmodules(context, directory),
  );
}

// The agent can still get a submodule's commit that is out of reach now.
async function alignSubmodules(context: GitContext, directory: string): Promise<Result<void>> {
  const reset = await resetSubmodules(context, directory);
  if (!reset.ok) context.log.write({ event: 'git.submodules-behind', worktree: directory });
  return success(undefined);
}

/** The branch itself, the remote's of that name, or the base. */
async function findTarget(context: GitContext, request: BindRequest): Promise<Result<string>> {
  const { repository, branch } = request;
  const refs = [branchRef(branch), remoteBranchRef(branch)];
  const found = await lookUpRefs(context, repository, refs);
  if (!found.ok) return found;
  const existing = found.value.find((commit) => commit !== null);
  if (existing != null) return success(existing);
  const free = await refuseConflict(context, repository, branch);
  if (!free.ok) return free;
  const start = await findStartQuickly(context, repository, request.base ?? request.defaultBranch);
  return start.ok ? success(start.value.commit) : start;
}

/** Only where a name could be in the way is git asked. */
async function refuseConflict(
  context: GitContext,
  repository: string,
  branch: string,
): Promise<Result<void>> {
  const common = await findCommonDirectory(context, repository);
  if (!common.ok) return common;
  if (isNameFree(context.files, common.value, branchRef(branch))) return DONE;
  return checkBranchConflict(context.git, repository, { branch });
}
