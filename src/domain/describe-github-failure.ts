import type { Descriptions, FailureOf } from './description.js';

/** Failures about pull requests and the way to GitHub. Everything else works without it. */
export const GITHUB_DESCRIPTIONS: Descriptions<
  'github-unavailable' | 'pr-missing' | 'no-feedback' | 'push-rejected'
> = {
  'github-unavailable': ({ reason, where }) => {
    const [message, hint] = REASONS[reason](where);
    return { message, hint };
  },
  'pr-missing': ({ task = 'TASK' }) => ({
    message: 'The task has no pull request.',
    hint: `Open one with: orange pr create ${task}`,
  }),
  'no-feedback': () => ({
    message: 'Nothing new has been said on the pull request.',
    hint: 'See all of it with: orange pr feedback TASK',
  }),
  'push-rejected': ({ branch }) => ({
    message: `"${branch}" was not pushed: the branch on the remote has commits that yours lacks.`,
    hint: 'Bring them into the branch (git pull --rebase in its worktree), then try again.',
  }),
};

type Reason = FailureOf<'github-unavailable'>['reason'];

const REASONS: Readonly<Record<Reason, (where: string) => readonly [string, string]>> = {
  'no-gh': () => [
    'Pull requests need the program "gh", which is not on PATH.',
    'Install it from https://cli.github.com, then: gh auth login',
  ],
  'gh-too-old': () => [
    'The installed "gh" is too old for pull requests.',
    'Install a newer one from https://cli.github.com',
  ],
  'not-logged-in': (where) => [
    `gh is not logged in${at(where)}.`,
    'Log in with: gh auth login (or set GH_TOKEN for the daemon, then: orange daemon restart)',
  ],
  'no-remote': (where) => [
    `The repository ${where} has no remote named "origin".`,
    'Add one with: git remote add origin URL',
  ],
  'not-github': (where) => [
    `The remote "origin" is not on GitHub: ${where}`,
    'Merge with: orange task merge',
  ],
  unreachable: (where) => [
    `GitHub could not be reached${at(where)}.`,
    'Try again when the network is back.',
  ],
  'rate-limited': () => ['GitHub answers no more requests for now.', 'Try again in a while.'],
  'no-access': (where) => [
    `GitHub does not allow this${where === '' ? '' : `: ${where}`}.`,
    'See who you are and what you may do with: gh auth status',
  ],
};

function at(where: string): string {
  return where === '' ? '' : ` (${where})`;
}
