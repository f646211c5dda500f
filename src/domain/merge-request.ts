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

/** Something tried in a checkout that is made for it, and removed afterwards. */
export type Trial = {
  readonly directory: string;
  run(directory: string): Promise<Result<void>>;
};
