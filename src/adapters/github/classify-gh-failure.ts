import { cleanText } from '../../domain/clean-text.js';
import type { Failure } from '../../domain/failure.js';

export type GhComplaint = {
  readonly action: string;
  readonly exitCode: number;
  readonly stderr: string;
  /** host/owner/name */
  readonly repository: string;
};

/** The only place that reads meaning into gh's messages; what it does not know stays as it is. */
export function classifyGhFailure(complaint: GhComplaint): Failure {
  const { stderr, exitCode, action } = complaint;
  if (exitCode === NEEDS_LOGIN) return unavailable('not-logged-in', hostOf(complaint));
  for (const [pattern, explain] of KNOWN_COMPLAINTS) {
    const match = pattern.exec(stderr);
    if (match !== null) return explain(match, complaint);
  }
  const output = cleanText(stderr).trim().slice(-2000);
  return { kind: 'command-failed', program: 'gh', action, exitCode, output };
}

// gh's own exit code for "authentication required".
const NEEDS_LOGIN = 4;

type Reason = Extract<Failure, { kind: 'github-unavailable' }>['reason'];

function unavailable(reason: Reason, where: string): Failure {
  return { kind: 'github-unavailable', reason, where };
}

function hostOf({ repository }: GhComplaint): string {
  return repository.split('/')[0] ?? '';
}

type Explanation = (match: RegExpExecArray, complaint: GhComplaint) => Failure;

const KNOWN_COMPLAINTS: readonly (readonly [RegExp, Explanation])[] = [
  [
    /gh auth login|HTTP 401|Bad credentials|authentication required/i,
    (_match, complaint) => unavailable('not-logged-in', hostOf(complaint)),
  ],
  [
    /rate limit|submitted too quickly|HTTP 429/i,
    (_match, complaint) => unavailable('rate-limited', hostOf(complaint)),
  ],
  [
    /error connecting to|no such host|i\/o timeout|connection (?:refused|reset)|network is unreachable|TLS handshake|HTTP 5\d\d/i,
    (_match, complaint) => unavailable('unreachable', hostOf(complaint)),
  ],
  [/unknown flag|unknown command|Unknown JSON field/i, () => unavailable('gh-too-old', '')],
  [
    /No commits between (\S+) and/i,
    ([, base = '']) => ({ kind: 'merge-refused', base, reason: 'nothing-to-merge' }),
  ],
  [
    /Base ref must be a branch|baseRefName?.*(?:invalid|not exist)/i,
    () => ({ kind: 'base-missing', base: 'base' }),
  ],
  [
    /Could not resolve to a PullRequest/i,
    (_match, { repository, action }) => ({
      kind: 'not-found',
      what: 'pull request',
      name: `${repository} ${action}`,
    }),
  ],
  [
    /Could not resolve to a Repository|HTTP 404/i,
    (_match, { repository }) => unavailable('no-access', `there is no ${repository} for you`),
  ],
  [
    /HTTP 403|not accessible by|must have (?:push|write|admin)|permission/i,
    (_match, { stderr }) => unavailable('no-access', firstLine(stderr)),
  ],
];

function firstLine(text: string): string {
  return (cleanText(text).trim().split('\n')[0] ?? '').slice(0, 200);
}
