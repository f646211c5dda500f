import type { Failure } from '../../domain/failure.js';

export type GitComplaint = {
  readonly action: string;
  readonly exitCode: number;
  readonly stderr: string;
  /** The directory git was told to work in. */
  readonly directory: string;
};

/** The only place that reads meaning into git's messages; what it does not know stays as it is. */
export function classifyGitFailure(complaint: GitComplaint): Failure {
  const { stderr, directory } = complaint;
  for (const [pattern, explain] of KNOWN_COMPLAINTS) {
    const match = pattern.exec(stderr);
    if (match !== null) return explain(match, directory);
  }
  return {
    kind: 'command-failed',
    program: 'git',
    action: complaint.action,
    exitCode: complaint.exitCode,
    output: stderr.trim().slice(-2000),
  };
}

type Explanation = (match: RegExpExecArray, directory: string) => Failure;

const KNOWN_COMPLAINTS: readonly (readonly [RegExp, Explanation])[] = [
  [
    /not a git repository|cannot change to '|must be run in a work tree/,
    (_match, directory) => ({ kind: 'not-a-repository', path: directory }),
  ],
  [
    /'refs\/heads\/([^']+)' exists; cannot create 'refs\/heads\/([^']+)'/,
    ([, existing = '', wanted = '']) => ({
      kind: 'branch-conflict',
      branch: wanted,
      with: existing,
    }),
  ],
  [
    /'([^']+)' is already (?:checked out|used by worktree) at '([^']+)'/,
    ([, branch = '', where = '']) => ({ kind: 'branch-in-use', branch, where }),
  ],
  [
    /[Aa] branch named '([^']+)' already exists/,
    ([, branch = '']) => ({ kind: 'branch-conflict', branch, with: branch }),
  ],
  [
    /'([^']+)' is not a valid branch name/,
    ([, branch = '']) => ({ kind: 'branch-invalid', branch, rule: 'git does not accept it' }),
  ],
  [
    /Unable to create '[^']*\/(\w+\.lock)': File exists/,
    ([, lock = ''], directory) => ({
      kind: 'worktree-unusable',
      workspace: directory,
      reason: `another git process holds ${lock}`,
    }),
  ],
  [
    /not a valid object name: '?HEAD/,
    (_match, directory) => ({ kind: 'repository-without-commits', path: directory }),
  ],
  [
    /index file (corrupt|smaller than expected)|bad index file/,
    (_match, directory) => ({
      kind: 'worktree-unusable',
      workspace: directory,
      reason: 'its index is damaged',
    }),
  ],
  [
    /No space left on device/,
    (_match, directory) => ({
      kind: 'io-failed',
      path: directory,
      operation: 'write',
      code: 'ENOSPC',
    }),
  ],
  [
    /Too many open files/,
    (_match, directory) => ({
      kind: 'io-failed',
      path: directory,
      operation: 'read',
      code: 'EMFILE',
    }),
  ],
];
