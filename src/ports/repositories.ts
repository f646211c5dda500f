import type { BranchDiff, DiffRequest } from '../domain/branch-diff.js';
import type { ChangedPathsRequest, Examination, MergeRequest } from '../domain/merge-request.js';
import type { Settings } from '../domain/settings.js';
import type { Result } from '../domain/result.js';
import type { SalvageStore } from '../domain/salvage-store.js';
import type { WorktreeRecords } from '../domain/worktree-records.js';

export type RepositoryFacts = {
  /** Top of the main checkout, or the bare repository's own directory. */
  readonly root: string;
  readonly isBare: boolean;
  readonly defaultBranch: string;
  readonly hasCommits: boolean;
  readonly remote: string | null;
};

export type BindRequest = {
  readonly repository: string;
  readonly worktree: string;
  readonly branch: string;
  readonly defaultBranch: string;
  /** Branch to start from, when not the default branch. */
  readonly base: string | null;
  readonly taskId: string;
  /** Whether nothing was ever run for the task, so that no work in the worktree can be its own. */
  readonly isFirst?: boolean;
};

export type ReleaseRequest = {
  readonly repository: string;
  readonly worktree: string;
  readonly defaultBranch: string;
  readonly taskId: string;
  /** Whether files that git ignores stay for the next task, as they do unless told. */
  readonly keepIgnored?: boolean;
};

export type PrepareRequest = {
  readonly repository: string;
  readonly worktree: string;
  readonly pool: Pick<Settings['pool'], 'setup' | 'setupFiles' | 'setupTimeoutMinutes' | 'copy'>;
  /** The complete environment of the set-up commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Where their output goes. */
  readonly logFile: string;
  /** Told of each step that may take long. */
  onStep(step: string): void;
  /** Ends the set-up, with all that it started. */
  readonly signal?: AbortSignal;
  /** Given for a worktree that no task has: whether that still is so when its turn comes. */
  isStillIdle?(): boolean;
};

export type WorktreeFacts = {
  /** The branch it is on, or is rebasing. */
  readonly branch: string | null;
  /** Why it could not be handed out, e.g. because it is not clean; null when it could. */
  readonly unrest: string | null;
};

export type WorktreeLock = {
  readonly path: string;
  /** Whether it is certain that no git works there any more. */
  readonly isStale: boolean;
};

/** Git. One queue per repository for refs and metadata; never hooks, prompts or fsmonitor. */
export interface Repositories extends WorktreeRecords {
  inspect(path: string): Promise<Result<RepositoryFacts>>;
  checkBranchName(branch: string): Promise<Result<void>>;
  /** Where a branch is checked out (user's clone or another worktree), or null. */
  branchCheckedOutAt(repository: string, branch: string): Promise<Result<string | null>>;
  /** Whether a checkout has changes that are in no commit. A bare repository has none. */
  hasUncommittedWork(checkout: string): Promise<Result<boolean>>;
  /** Makes the worktree if it is not there (detached, on the base). Safe to repeat. */
  ensureWorktree(request: {
    readonly repository: string;
    readonly worktree: string;
    readonly defaultBranch: string;
  }): Promise<Result<void>>;
  /** Fetches, resets to the base, and switches to the branch (new or existing). Safe to repeat. */
  bind(request: BindRequest): Promise<Result<{ readonly head: string }>>;
  /** Copies the wanted files into a clean worktree and sets it up, as far as that is due. */
  prepare(request: PrepareRequest): Promise<Result<void>>;
  /** Salvages what would be lost, then detaches, resets, cleans and verifies. Safe to repeat. */
  release(request: ReleaseRequest): Promise<Result<{ readonly salvageRef: string | null }>>;
  renameBranch(request: {
    readonly repository: string;
    readonly from: string;
    readonly to: string;
  }): Promise<Result<void>>;
  /** Notes the commit at which a task's branch was judged. Safe to repeat. */
  markReviewed(request: {
    readonly repository: string;
    readonly branch: string;
    readonly taskId: string;
  }): Promise<Result<void>>;
  /** Forgets that commit; none is fine. */
  dropReviewed(repository: string, taskId: string): Promise<Result<void>>;
  /** Removes the checkout of a trial that was cut off. Absent is fine. */
  clearTrial(repository: string, directory: string): Promise<Result<void>>;
  /**
   * Builds the merge, has it tried and moves the base; one merge at a time per repository, tried
   * again if the base moved meanwhile. A repeat after success gives the same commit.
   */
  merge(request: MergeRequest): Promise<Result<{ readonly commit: string }>>;
  /** Builds the merge and has it tried, if there is no conflict, and moves nothing. */
  examine(request: MergeRequest): Promise<Result<Examination>>;
  /** Removes a branch whose work is merged or salvaged; its tip must be what the caller saw. */
  deleteMergedBranch(request: {
    readonly repository: string;
    readonly branch: string;
    readonly taskId: string;
  }): Promise<Result<void>>;
  /** The tasks, of this home or of another, of which a merge is noted in refs of orange's own. */
  listMerges(repository: string): Promise<Result<readonly string[]>>;
  /** Removes those refs, unless they are all that leads to the result. */
  forgetMerge(request: {
    readonly repository: string;
    readonly taskId: string;
  }): Promise<Result<'forgotten' | 'kept'>>;
  /** What a branch changed since it left its base, and what lies uncommitted in its worktree. */
  diff(request: DiffRequest): Promise<Result<BranchDiff>>;
  /** The files that a branch changed since it left its base, with what is not committed in its worktree. */
  changedPaths(request: ChangedPathsRequest): Promise<Result<readonly string[]>>;
  listWorktrees(
    repository: string,
  ): Promise<Result<readonly { readonly path: string; readonly branch: string | null }[]>>;
  /**
   * Looks an idle worktree through before a task wants it. True: as long as nothing stirs in it, a bind
   * need not look again. One that is not idle, or cannot be watched, is left to the bind.
   */
  proveIdle(request: {
    readonly repository: string;
    readonly worktree: string;
  }): Promise<Result<boolean>>;
  /** Whether it was, and nothing more is known of it since. */
  isProven(worktree: string): boolean;
  /**
   * Whether a worktree that a task has is in its place, or nothing is; fails for anything else that is
   * there. Puts back a `.git` that is all that is missing. Starts no process where files leave no doubt.
   */
  verifyWorktree(request: {
    readonly repository: string;
    readonly worktree: string;
  }): Promise<Result<'there' | 'absent'>>;
  /**
   * What a worktree is like now, its files too if asked, and whether any ref leads to its commit; null
   * when there is nothing. Changes nothing.
   */
  inspectWorktree(request: {
    readonly repository: string;
    readonly worktree: string;
    readonly depth: 'branch' | 'content' | 'commits';
  }): Promise<Result<WorktreeFacts | null>>;
  /** Locks of git in a worktree that are older than a command takes. Starts no process. */
  findLocks(worktree: string): readonly WorktreeLock[];
  /** Removes locks that a killed git left; those of a living one are waited for, then refused. */
  clearLocks(repository: string, worktree: string): Promise<Result<void>>;
  readonly salvage: SalvageStore;
  /**
   * Makes a worktree anew that a release could not clean. What it holds is salvaged first; ignored
   * files go. Refuses while somebody works in it.
   */
  rebuild(request: ReleaseRequest): Promise<Result<{ readonly salvageRef: string | null }>>;
  /** Drops a worktree that is clean and detached; refuses otherwise. */
  removeWorktree(repository: string, worktree: string): Promise<Result<void>>;
}
