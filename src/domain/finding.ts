/** What can be out of place. A name keeps its meaning across versions. */
export const FINDING_CLASSES = [
  'orphan-process',
  'zombie-session',
  'session-without-task',
  'pool-file',
] as const;
export type FindingClass = (typeof FINDING_CLASSES)[number];

/** What a person may ask to have mended. */
export const MEND_CLASSES = [...FINDING_CLASSES, 'all'] as const;
export type MendClass = (typeof MEND_CLASSES)[number];

/** One thing that is out of place, in the form every view and `--json` shows. */
export type Finding = {
  readonly class: FindingClass;
  readonly severity: 'warn' | 'error';
  readonly message: string;
  readonly remedy: string;
  /** `safe`: the daemon mends it by itself; `with-fix`: when asked to; `by-hand`: a person must. */
  readonly fixable: 'safe' | 'with-fix' | 'by-hand';
  readonly task_id: string | null;
  /** The session on orange's own terminal server. */
  readonly session: string | null;
  /** The file, directory or worktree it is about. */
  readonly path: string | null;
  readonly pids: readonly number[];
};

/** Something that was mended, in words. */
export type Mended = {
  readonly class: FindingClass;
  readonly message: string;
  readonly task_id: string | null;
  readonly path: string | null;
};

/** What came of mending: done, tried in vain, and what is still there afterwards. */
export type MendReport = {
  readonly done: readonly Mended[];
  readonly failed: readonly { readonly finding: Finding; readonly reason: string }[];
  readonly remaining: readonly Finding[];
};
