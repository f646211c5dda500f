import type { Result } from './result.js';

/** A worktree that git has on record although its directory is gone. */
export type VanishedWorktree = {
  readonly path: string;
  /** Where it lies now, if it was moved to a place where it can be seen. */
  readonly movedTo: string | null;
  /** Whether somebody asked git not to forget it. */
  readonly isLocked: boolean;
};

/** What git has on record of worktrees, wherever their directories are. */
export interface WorktreeRecords {
  /** Worktrees right below a directory that git has on record although they are gone. */
  findVanished(repository: string, below: string): Promise<Result<readonly VanishedWorktree[]>>;
  /** Lets git forget a worktree that is gone, salvaging what only its record led to; a moved one is refused. */
  forgetVanished(request: {
    readonly repository: string;
    readonly worktree: string;
    readonly taskId: string;
  }): Promise<Result<{ readonly salvageRef: string | null }>>;
}
