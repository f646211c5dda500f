/** What a pull request is, as `pr_state` in a task's frontmatter says it. */
export type PullRequestState = 'open' | 'draft' | 'merged' | 'closed';

/** What became of the checks on its last commit, taken together. */
export type ChecksState = 'none' | 'pending' | 'passing' | 'failing';

/** Something said about the work: a check that failed, or a comment. Its text is a stranger's, cleaned. */
export type Remark = {
  /** The same for the same thing each time it is seen; a check that fails on another commit is new. */
  readonly key: string;
  readonly kind: 'check' | 'comment';
  readonly author: string;
  /** Whether its author may write to the repository; a check always counts as such. */
  readonly isTrusted: boolean;
  /** File and line, or the address of a check's output. */
  readonly where: string | null;
  readonly text: string;
};

/** A pull request as GitHub last told of it. */
export type PullRequest = {
  readonly url: string;
  readonly state: PullRequestState;
  /** The last commit that GitHub has of its branch. */
  readonly head: string;
  /** The commit by which it was merged, where there is one. */
  readonly mergeCommit: string | null;
  readonly checks: ChecksState;
  readonly remarks: readonly Remark[];
};

/** A branch that is to go to GitHub, with the words for its pull request. */
export type PublishRequest = {
  readonly repository: string;
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
  readonly isDraft: boolean;
};

/** Which pull request an address names; null when it is the address of none. */
export function parsePullRequestUrl(
  url: string,
): { readonly repository: string; readonly number: number } | null {
  const match = PULL_REQUEST_URL.exec(url);
  if (match === null) return null;
  const [, host = '', owner = '', name = '', number = ''] = match;
  return { repository: `${host}/${owner}/${name}`, number: Number(number) };
}

// A word never begins with a dash, so that none is ever taken for an option.
const PULL_REQUEST_URL =
  /^https:\/\/([A-Za-z0-9][A-Za-z0-9.-]*)\/([A-Za-z0-9_][\w.-]*)\/([A-Za-z0-9_.][\w.-]*)\/pull\/([1-9][0-9]{0,8})\/?$/;
