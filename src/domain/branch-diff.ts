export type DiffForm = 'stat' | 'full' | 'names';

export type DiffRequest = {
  readonly repository: string;
  readonly worktree: string | null;
  readonly branch: string;
  readonly base: string;
  readonly form: DiffForm;
  /** Only these, from the top of the worktree; all when left out. */
  readonly paths?: readonly string[];
  /** How wide a summary may be; 160 unless told. */
  readonly columns?: number;
};

/** Where a change lies; `unmerged` is everything uncommitted while an index holds conflicts. */
export type DiffPlace = 'committed' | 'staged' | 'unstaged' | 'untracked' | 'unmerged';

export type DiffPart = { readonly place: DiffPlace; readonly text: string };

/** What a branch changed since it left its base, as git wrote it: nothing in it is clean. */
export type BranchDiff = {
  /** All of it, uncommitted work included. */
  readonly all: string;
  /** The same told apart; places without changes are left out. */
  readonly parts: readonly DiffPart[];
  /** The commits, newest first, each as its short name and subject. */
  readonly commits: readonly string[];
  /** How many there are, also of those that are not listed. */
  readonly commitCount: number;
};
