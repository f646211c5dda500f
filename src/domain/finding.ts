/** What can be out of place, by the part of the home. A name keeps its meaning across versions. */
export const CLASSES_BY_PART = {
  session: [
    'orphan-process',
    'zombie-session',
    'session-without-task',
    'task-without-session',
    'launch-record',
    'terminal-server',
  ],
  worktree: [
    'worktree-without-task',
    'worktree-missing',
    'worktree-record',
    'worktree-foreign',
    'quarantined',
    'git-lock',
  ],
  files: [
    'pool-file',
    'projects-file',
    'task-unreadable',
    'task-fault',
    'task-link',
    'history-tail',
    'history-lines',
    'history-status',
    'outbox',
    'leftovers',
    'permissions',
  ],
} as const;

export const FINDING_CLASSES = [
  ...CLASSES_BY_PART.session,
  ...CLASSES_BY_PART.worktree,
  ...CLASSES_BY_PART.files,
] as const;
export type FindingClass = (typeof FINDING_CLASSES)[number];

/** What is derived from TASK.md and history, and can be brought back to them at any time. */
export const DERIVED_CLASSES: readonly FindingClass[] = [
  'pool-file',
  'task-link',
  'history-tail',
  'outbox',
];

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

/** What to mend: these classes, and of them everything or only what needs no asking. */
export type MendOrder = {
  readonly classes: readonly FindingClass[];
  readonly reach: 'safe' | 'asked';
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
