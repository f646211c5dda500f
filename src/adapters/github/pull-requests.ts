import {
  parsePullRequestUrl,
  type PublishRequest,
  type PullRequest,
} from '../../domain/pull-request.js';
import { DONE, failed, success, type Result } from '../../domain/result.js';
import type { PullRequests } from '../../ports.js';
import { createGit, type Git } from '../git/git-command.js';
import type { Environment } from '../git/git-environment.js';
import { pushBranch } from '../git/push-branch.js';
import { branchRef, isAncestor, remoteBranchRef, resolveCommit } from '../git/refs.js';
import {
  findRepositories,
  nameRepository,
  type GithubPlaces,
  type GithubRepository,
} from './find-repositories.js';
import { gatherViews } from './gather-views.js';
import { createGh, unreadable, type Gh } from './gh-command.js';
import {
  parseLineComments,
  parsePullRequest,
  PULL_REQUEST_FIELDS,
  type GhPullRequest,
} from './parse-pull-request.js';
import { readTemplate } from './pull-request-template.js';

/** Pull requests as the supervisor needs them. */
export function createPullRequests(env: Environment): PullRequests {
  const git = createGit(env);
  const gh = createGh(env);
  return {
    publish: (request) => publish(git, gh, request),
    view: gatherViews({ one: (url) => view(gh, url), all: (urls) => viewAll(gh, urls) }),
    viewAll: (urls) => viewAll(gh, urls),
    hasCommitsBeyond: (request) => hasCommitsBeyond(git, request),
    readTemplate: (repository, base) => readTemplate(git, repository, base),
  };
}

async function publish(git: Git, gh: Gh, request: PublishRequest): Promise<Result<PullRequest>> {
  const { repository, branch } = request;
  const tip = await resolveCommit(git, repository, branchRef(branch));
  if (!tip.ok) return tip;
  if (tip.value === null) return failed({ kind: 'branch-missing', branch });
  const places = await findRepositories(git, repository);
  if (!places.ok) return places;
  const known = await checkHost(gh, places.value.base);
  if (!known.ok) return known;
  // Asked before the push, so that nothing is pushed where there can be no pull request.
  const open = await findOpen(gh, places.value, branch);
  if (!open.ok) return open;
  const pushed = await push(git, repository, branch);
  if (!pushed.ok) return pushed;
  if (open.value !== null) return view(gh, open.value);
  const url = await create(gh, places.value, request);
  return url.ok ? view(gh, url.value) : url;
}

/** A host that nobody but the person can vouch for is one that gh is logged in to. */
async function checkHost(gh: Gh, base: GithubRepository): Promise<Result<void>> {
  const { host } = base;
  if (host === 'github.com' || host.endsWith('.ghe.com')) return DONE;
  const argv = ['auth', 'status', `--hostname=${host}`];
  const status = await gh.text({ argv, repository: nameRepository(base) });
  if (status.ok) return DONE;
  const { failure } = status;
  const isMissing = failure.kind === 'github-unavailable' && failure.reason === 'no-gh';
  if (isMissing) return status;
  return failed({ kind: 'github-unavailable', reason: 'not-github', where: host });
}

async function findOpen(
  gh: Gh,
  { base, head }: GithubPlaces,
  branch: string,
): Promise<Result<string | null>> {
  const listed = await list(gh, nameRepository(base), [`--head=${branch}`, '--state=open']);
  if (!listed.ok) return listed;
  const own = listed.value.find(({ headOwner }) => sameName(headOwner, head.owner));
  return success(own?.pullRequest.url ?? null);
}

function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

async function push(git: Git, repository: string, branch: string): Promise<Result<void>> {
  const pushed = await pushBranch({ git }, repository, branch);
  if (pushed.ok || pushed.failure.kind !== 'command-failed') return pushed;
  const isBehind = /\[rejected\]|non-fast-forward|fetch first/.test(pushed.failure.output);
  return isBehind ? failed({ kind: 'push-rejected', branch }) : pushed;
}

async function create(
  gh: Gh,
  { base, head }: GithubPlaces,
  request: PublishRequest,
): Promise<Result<string>> {
  const isFork = !sameName(base.owner, head.owner);
  const argv = [
    'pr',
    'create',
    `--repo=${nameRepository(base)}`,
    `--head=${isFork ? `${head.owner}:` : ''}${request.branch}`,
    `--base=${request.base}`,
    `--title=${request.title}`,
    '--body-file=-',
    ...(request.isDraft ? ['--draft'] : []),
  ];
  const created = await gh.text({ argv, repository: nameRepository(base), input: request.body });
  if (!created.ok) {
    const { failure } = created;
    if (failure.kind === 'base-missing') return failed({ ...failure, base: request.base });
    return created;
  }
  const url = created.value.split(/\s+/).findLast((word) => parsePullRequestUrl(word) !== null);
  return url === undefined ? failed(unreadable(argv)) : success(url);
}

async function view(gh: Gh, url: string): Promise<Result<PullRequest>> {
  const place = parsePullRequestUrl(url);
  if (place === null) return failed({ kind: 'not-found', what: 'pull request', name: url });
  const { repository, number } = place;
  const argv = ['pr', 'view', String(number), `--repo=${repository}`];
  const call = { argv: [...argv, `--json=${PULL_REQUEST_FIELDS}`], repository };
  const seen = await gh.json(call);
  if (!seen.ok) return seen;
  const parsed = parsePullRequest(seen.value);
  return parsed === null ? failed(unreadable(argv)) : withLineComments(gh, { ...parsed, url });
}

async function viewAll(gh: Gh, urls: readonly string[]): Promise<Result<readonly PullRequest[]>> {
  const found: PullRequest[] = [];
  const repositories = new Set(urls.map(repositoryOf));
  for (const repository of repositories) {
    const group = urls.filter((url) => repositoryOf(url) === repository);
    const seen = group.length === 1 ? success([]) : await listAll(gh, repository);
    if (!seen.ok) return seen;
    for (const url of group) {
      const known = seen.value.find(({ pullRequest }) => pullRequest.url === url);
      const one = known === undefined ? view(gh, url) : withLineComments(gh, { ...known, url });
      const pullRequest = await one;
      if (pullRequest.ok) found.push(pullRequest.value);
      else if (pullRequest.failure.kind !== 'not-found') return pullRequest;
    }
  }
  return success(found);
}

function repositoryOf(url: string): string {
  return parsePullRequestUrl(url)?.repository ?? '';
}

function listAll(gh: Gh, repository: string): Promise<Result<readonly GhPullRequest[]>> {
  return list(gh, repository, ['--state=all']);
}

const MOST_LISTED = 50;

async function list(
  gh: Gh,
  repository: string,
  wishes: readonly string[],
): Promise<Result<readonly GhPullRequest[]>> {
  const argv = ['pr', 'list', `--repo=${repository}`, ...wishes, `--limit=${MOST_LISTED}`];
  const call = { argv: [...argv, `--json=${PULL_REQUEST_FIELDS}`], repository };
  const listed = await gh.json(call);
  if (!listed.ok) return listed;
  if (!Array.isArray(listed.value)) return failed(unreadable(argv));
  return success(listed.value.flatMap((value: unknown) => parsePullRequest(value) ?? []));
}

/** Comments on lines are told by the API alone, and asked for only where somebody reviewed. */
async function withLineComments(
  gh: Gh,
  seen: GhPullRequest & { readonly url: string },
): Promise<Result<PullRequest>> {
  const { pullRequest, hasReviews, url } = seen;
  const place = parsePullRequestUrl(url);
  const isLive = pullRequest.state === 'open' || pullRequest.state === 'draft';
  // The address is the task's own, whatever GitHub calls the repository by now.
  const named = { ...pullRequest, url };
  if (!hasReviews || !isLive || place === null) return success(named);
  const { repository, number } = place;
  const [host = '', owner = '', name = ''] = repository.split('/');
  const path = `repos/${owner}/${name}/pulls/${number}/comments?per_page=100`;
  const argv = ['api', path, `--hostname=${host}`];
  const listed = await gh.json({ argv, repository });
  if (!listed.ok) return listed;
  const comments = parseLineComments(listed.value);
  if (comments === null) return failed(unreadable(argv));
  return success({ ...named, remarks: [...pullRequest.remarks, ...comments] });
}

async function hasCommitsBeyond(
  git: Git,
  request: Parameters<PullRequests['hasCommitsBeyond']>[0],
): Promise<Result<boolean>> {
  const { repository, branch, commit } = request;
  const tip = await resolveCommit(git, repository, branchRef(branch));
  if (!tip.ok) return tip;
  if (tip.value === null || tip.value === commit) return success(false);
  const known = await resolveCommit(git, repository, commit);
  if (!known.ok) return known;
  // What GitHub had last may never have come here; what was fetched of it may be enough.
  const newer = known.value ?? (await resolveCommit(git, repository, remoteBranchRef(branch)));
  const target = typeof newer === 'string' ? newer : newer.ok ? newer.value : null;
  if (target === null) return success(true);
  const isIn = await isAncestor(git, repository, { older: tip.value, newer: target });
  return isIn.ok ? success(!isIn.value) : isIn;
}
