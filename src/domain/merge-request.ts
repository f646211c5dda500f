import type { Failure } from './failure.js';
import type { Result } from './result.js';
import type { MergeStrategy } from './settings.js';

/** What is merged into what, and how. */
export type MergeRequest = {
  readonly repository: string;
  readonly worktree: string | null;
  readonly branch: string;
  readonly base: string;
  readonly strategy: MergeStrategy;
  readonly taskId: string;
  readonly message: string;
  readonly push: boolean;
  /** Whether the branch may have moved since its work was judged. */
  readonly heads: 'any' | 'as-reviewed';
  /** What has to pass in a checkout of the result before the base moves; null: nothing. */
  readonly trial: Trial | null;
};

/** What a merge would be like. */
export type Examination = {
  /** The commits of branch and base that were looked at. */
  readonly head: string;
  readonly base: string;
  /** Commits of the base that the branch lacks. */
  readonly behind: number;
  readonly files: number;
  readonly lines: number;
  /** Files that somebody has to merge by hand, with git's word for why. */
  readonly conflicts: readonly { readonly file: string; readonly type: string }[];
  /** Files that both sides changed and git merged. */
  readonly merged: readonly string[];
};

/** Something tried in a checkout that is made for it, and removed afterwards. */
export type Trial = {
  readonly directory: string;
  /** Files of the person's checkout that it gets, as the worktrees of the pool do. */
  readonly copy?: readonly string[];
  run(directory: string): Promise<Result<void>>;
  /** Told when the checkout could not be removed. */
  onLeft(failure: Failure): void;
};

/** Of which branch the changed files are wanted. */
export type ChangedPathsRequest = Pick<MergeRequest, 'repository' | 'branch' | 'base'> & {
  /** Where the branch is worked on; null: only its commits count. */
  readonly worktree: string | null;
};
