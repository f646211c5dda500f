import { failpoint } from '../../domain/failpoint.js';
import type { Result } from '../../domain/result.js';
import { failed, success } from '../../domain/result.js';
import type { BindRequest } from '../../ports.js';
import { checkBranchConflict, checkBranchName } from './branch-names.js';
import { ensureWorktree } from './ensure-worktree.js';
import type { FetchRemote } from './fetch-remote.js';
import { CHECKOUT_TIMEOUT_MS } from './git-command.js';
import type { GitContext } from './git-context.js';
import { inOrder, inRepositoryTurn } from './git-context.js';
import {
  branchRef,
  changeRef,
  NO_OBJECT,
  remoteBranchRef,
  resolveCommit,
  resolveRefs,
} from './refs.js';
import { refuseOccupied } from './refuse-occupied.js';
import { releaseWorktree, verifyIdle } from './release-worktree.js';
import { clearStaleLocks } from './stale-locks.js';
import { findStartPoint } from './start-point.js';
import { resetSubmodules } from './submodules.js';
import { hideTaskFile } from './task-file.js';
import { findCheckout } from './worktree-list.js';
import type { Worktree } from './worktree-state.js';

export type Bound = { readonly head: string };

/** Puts a worktree on a task's branch; one that is there already is left exactly as it is. */
export async function bindWorktree(
  context: GitContext,
  request: BindRequest,
  fetchRemote: FetchRemote,
): Promise<Result<Bound>> {
  const { repository, branch } = request;
  const isName = await checkBranchName(context.git, branch);
  if (!isName.ok) return isName;
  const worktree = await ensureWorktree(context, request);
  if (!worktree.ok) return worktree;
  if (worktree.value.branch === branch && worktree.value.head !== null) {
    const hidden = await hideTaskFile(context, repository, request.worktree);
    return hidden.ok ? success({ head: worktree.value.head }) : hidden;
  }
  const prepared = await inOrder(
    () => refuseTakenBranch(context, request),
    () => refuseOccupied(context, request.worktree),
    () => clearStaleLocks(context, worktree.value),
    () => fetchRemote(context, repository),
  );
  if (!prepared.ok) return prepared;
  failpoint('bind.begun');
  const head = await makeIdle(context, request, worktree.value);
  if (!head.ok) return head;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const bound = await switchToBranch(context, request, head.value);
    if (!bound.ok) return bound;
    if (bound.value !== 'moved') return success(bound.value);
  }
  return failed({ kind: 'branch-in-use', branch, where: repository });
}

const MAX_ATTEMPTS = 3;

async function refuseTakenBranch(context: GitContext, request: BindRequest): Promise<Result<void>> {
  const { repository, branch } = request;
  const where = await findCheckout(context, repository, branch);
  if (!where.ok) return where;
  return where.value === null
    ? success(undefined)
    : failed({ kind: 'branch-in-use', branch, where: where.value });
}

/** Saves and clears what somebody left in the worktree; says what is checked out if it was idle. */
async function makeIdle(
  context: GitContext,
  request: BindRequest,
  worktree: Worktree,
): Promise<Result<string | null>> {
  const idle = await verifyIdle(context, worktree);
  if (idle.ok) return success(worktree.head);
  const released = await releaseWorktree(context, request);
  return released.ok ? success(null) : released;
}

/**
 * Checks the files out on no branch, which may take long, and then claims the branch in the
 * repository's turn, so that a kill in between leaves nothing on the branch that it does not have.
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
    () => (commit === current ? success(undefined) : checkOut(context, worktree, commit)),
    () => hideTaskFile(context, repository, worktree),
  );
  if (!checkedOut.ok) return checkedOut;
  failpoint('bind.checked-out');
  return inRepositoryTurn(context, repository, () => claimBranch(context, request, commit));
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
  const found = await resolveRefs(context.git, repository, refs);
  if (!found.ok) return found;
  const existing = found.value.find((commit) => commit !== null);
  if (existing != null) return success(existing);
  const free = await checkBranchConflict(context.git, repository, { branch });
  if (!free.ok) return free;
  const start = await findStartPoint(
    context.git,
    repository,
    request.base ?? request.defaultBranch,
  );
  return start.ok ? success(start.value.commit) : start;
}

async function claimBranch(
  context: GitContext,
  request: BindRequest,
  commit: string,
): Promise<Result<Bound | 'moved'>> {
  const { git } = context;
  const { repository, branch, worktree } = request;
  const ref = branchRef(branch);
  const tip = await resolveCommit(git, repository, ref);
  if (!tip.ok) return tip;
  if (tip.value !== null && tip.value !== commit) return success('moved');
  const claimed = await inOrder(
    () => refuseTakenBranch(context, request),
    () =>
      tip.value === null
        ? changeRef(git, repository, { ref, to: commit, from: NO_OBJECT })
        : success(undefined),
    () => {
      failpoint('bind.branch-made');
      return git.perform({
        directory: worktree,
        argv: ['symbolic-ref', '-m', 'orange: bind', 'HEAD', ref],
      });
    },
  );
  failpoint('bind.branch-claimed');
  return claimed.ok ? success({ head: commit }) : claimed;
}
