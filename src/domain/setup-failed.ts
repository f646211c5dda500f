/** A set-up command of a worktree did not end well. */
export type SetupFailed = {
  readonly kind: 'setup-failed';
  readonly command: string;
  /** What became of it: `ended with 1`. */
  readonly how: string;
  /** The file with its output. */
  readonly log: string;
};
