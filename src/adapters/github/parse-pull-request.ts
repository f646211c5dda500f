import * as v from 'valibot';
import { cleanText } from '../../domain/clean-text.js';
import {
  parsePullRequestUrl,
  type ChecksState,
  type PullRequest,
  type PullRequestState,
  type Remark,
} from '../../domain/pull-request.js';

/** What is asked of gh with --json. */
export const PULL_REQUEST_FIELDS = [
  'url',
  'state',
  'isDraft',
  'headRefOid',
  'headRepositoryOwner',
  'mergeCommit',
  'statusCheckRollup',
  'reviews',
  'comments',
].join(',');

const text = v.nullish(v.string(), '');
const author = v.nullish(v.object({ login: text }));

const CHECK = v.object({
  name: text,
  context: text,
  status: text,
  conclusion: text,
  state: text,
  detailsUrl: text,
  targetUrl: text,
});

const SAID = v.object({
  id: v.string(),
  author,
  authorAssociation: text,
  body: text,
  state: text,
  isMinimized: v.nullish(v.boolean(), false),
});

const PULL_REQUEST = v.object({
  url: v.pipe(
    v.string(),
    v.check((url) => parsePullRequestUrl(url) !== null),
  ),
  state: v.picklist(['OPEN', 'MERGED', 'CLOSED']),
  isDraft: v.boolean(),
  headRefOid: v.pipe(v.string(), v.regex(/^[0-9a-f]{40,64}$/)),
  headRepositoryOwner: v.nullish(v.object({ login: text })),
  mergeCommit: v.nullish(v.object({ oid: v.string() })),
  statusCheckRollup: v.nullish(v.array(CHECK), []),
  reviews: v.nullish(v.array(SAID), []),
  comments: v.nullish(v.array(SAID), []),
});

const LINE_COMMENTS = v.array(
  v.object({
    id: v.number(),
    user: author,
    author_association: text,
    body: text,
    path: text,
    line: v.nullish(v.number()),
  }),
);

/** A pull request as gh prints it. */
export type GhPullRequest = {
  readonly pullRequest: PullRequest;
  readonly headOwner: string;
  /** Whether somebody has reviewed it; only then there may be comments on lines. */
  readonly hasReviews: boolean;
};

/** One pull request out of gh's JSON; null when it is none. All text in it is cleaned. */
export function parsePullRequest(value: unknown): GhPullRequest | null {
  const parsed = v.safeParse(PULL_REQUEST, value);
  if (!parsed.success) return null;
  const seen = parsed.output;
  const checks = judgeChecks(seen.statusCheckRollup);
  return {
    headOwner: seen.headRepositoryOwner?.login ?? '',
    hasReviews: seen.reviews.length > 0,
    pullRequest: {
      url: seen.url,
      state: stateOf(seen.state, seen.isDraft),
      head: seen.headRefOid,
      mergeCommit: seen.mergeCommit?.oid ?? null,
      checks,
      remarks: [
        // While some checks still run, there may be more to say in a moment.
        ...(checks === 'failing' ? failingChecks(seen.statusCheckRollup, seen.headRefOid) : []),
        ...[...seen.reviews, ...seen.comments].flatMap(readSaid),
      ].slice(0, MAX_REMARKS),
    },
  };
}

/** Comments on lines of the diff, out of the API's JSON; null when it is none. */
export function parseLineComments(value: unknown): readonly Remark[] | null {
  const parsed = v.safeParse(LINE_COMMENTS, value);
  if (!parsed.success) return null;
  return parsed.output.slice(0, MAX_REMARKS).map((said) => ({
    key: `line:${said.id}`,
    kind: 'comment',
    author: oneLine(said.user?.login ?? ''),
    isTrusted: TRUSTED.has(said.author_association),
    where: `${oneLine(said.path)}${said.line == null ? '' : `:${said.line}`}`,
    text: shorten(said.body),
  }));
}

const MAX_REMARKS = 100;
const MAX_TEXT = 4000;
const TRUSTED = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

type Check = v.InferOutput<typeof CHECK>;
type Said = v.InferOutput<typeof SAID>;

function stateOf(state: 'OPEN' | 'MERGED' | 'CLOSED', isDraft: boolean): PullRequestState {
  if (state === 'MERGED') return 'merged';
  if (state === 'CLOSED') return 'closed';
  return isDraft ? 'draft' : 'open';
}

const PASSED = new Set(['SUCCESS', 'NEUTRAL', 'SKIPPED']);
const RUNNING = new Set(['', 'PENDING', 'EXPECTED']);

function resultOf({ status, conclusion, state }: Check): Exclude<ChecksState, 'none'> {
  if (status !== '' && status !== 'COMPLETED') return 'pending';
  const result = conclusion === '' ? state : conclusion;
  if (PASSED.has(result)) return 'passing';
  return RUNNING.has(result) ? 'pending' : 'failing';
}

function judgeChecks(checks: readonly Check[]): ChecksState {
  const results = new Set(checks.map(resultOf));
  if (results.size === 0) return 'none';
  if (results.has('pending')) return 'pending';
  return results.has('failing') ? 'failing' : 'passing';
}

function failingChecks(checks: readonly Check[], head: string): readonly Remark[] {
  const failing = checks.filter((check) => resultOf(check) === 'failing');
  return failing.map((check) => {
    const name = oneLine(check.name === '' ? check.context : check.name);
    const address = oneLine(check.detailsUrl === '' ? check.targetUrl : check.detailsUrl);
    const result = oneLine(check.conclusion === '' ? check.state : check.conclusion);
    return {
      key: `check:${name}@${head.slice(0, 12)}`,
      kind: 'check',
      author: name,
      isTrusted: true,
      where: address === '' ? null : address,
      text: result.toLowerCase(),
    };
  });
}

function readSaid(said: Said): readonly Remark[] {
  const words = shorten(said.body);
  const isSilent = words === '' || said.isMinimized || UNSAID.has(said.state);
  if (isSilent) return [];
  return [
    {
      key: `said:${oneLine(said.id)}`,
      kind: 'comment',
      author: oneLine(said.author?.login ?? ''),
      isTrusted: TRUSTED.has(said.authorAssociation),
      where: null,
      text: words,
    },
  ];
}

const UNSAID = new Set(['PENDING', 'DISMISSED']);

function shorten(words: string): string {
  const clean = cleanText(words).trim();
  return clean.length > MAX_TEXT ? `${clean.slice(0, MAX_TEXT)}…` : clean;
}

function oneLine(words: string): string {
  return cleanText(words).replaceAll(/\s+/g, ' ').trim().slice(0, 200);
}
