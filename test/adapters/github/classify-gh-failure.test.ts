import { describe, expect, it } from 'vitest';
import { classifyGhFailure } from '../../../src/adapters/github/classify-gh-failure.js';
import { parseRemoteUrl } from '../../../src/adapters/github/find-repositories.js';

const REPOSITORY = 'github.com/acme/shop';

describe('what gh complains about', () => {
  it.each([
    [4, 'anything', { reason: 'not-logged-in', where: 'github.com' }],
    [1, 'To get started with GitHub CLI, please run:  gh auth login', { reason: 'not-logged-in' }],
    [1, 'HTTP 401: Bad credentials (https://api.github.com/graphql)', { reason: 'not-logged-in' }],
    [1, 'error connecting to api.github.com\ncheck your connection', { reason: 'unreachable' }],
    [1, 'HTTP 502: Bad Gateway', { reason: 'unreachable' }],
    [1, 'GraphQL: API rate limit exceeded for user ID 1.', { reason: 'rate-limited' }],
    [1, 'HTTP 403: You have exceeded a secondary rate limit', { reason: 'rate-limited' }],
    [1, "GraphQL: Could not resolve to a Repository with the name 'a/b'.", { reason: 'no-access' }],
    [1, 'HTTP 403: Resource not accessible by integration', { reason: 'no-access' }],
    [1, 'Unknown JSON field: "statusCheckRollup"', { reason: 'gh-too-old' }],
  ])('exit %i with "%s" is a way to GitHub that is closed', (exitCode, stderr, expected) => {
    expect(
      classifyGhFailure({ action: 'pr view', exitCode, stderr, repository: REPOSITORY }),
    ).toMatchObject({ kind: 'github-unavailable', ...expected });
  });

  it.each([
    [
      'pull request create failed: GraphQL: No commits between main and feat (createPullRequest)',
      { kind: 'merge-refused', reason: 'nothing-to-merge', base: 'main' },
    ],
    ['GraphQL: Base ref must be a branch (createPullRequest)', { kind: 'base-missing' }],
    [
      'GraphQL: Could not resolve to a PullRequest with the number of 7.',
      { kind: 'not-found', what: 'pull request' },
    ],
    ['something \u001b[31mnew', { kind: 'command-failed', program: 'gh', output: 'something new' }],
  ])('"%s" is told for what it is', (stderr, expected) => {
    expect(
      classifyGhFailure({ action: 'pr create', exitCode: 1, stderr, repository: REPOSITORY }),
    ).toMatchObject(expected);
  });
});

describe('the address of a remote', () => {
  it.each([
    'https://github.com/acme/shop.git',
    'https://token@github.com/acme/shop',
    'git@github.com:acme/shop.git',
    'ssh://git@ssh.github.com:443/acme/shop.git',
    'ssh://git@github.com/acme/shop/',
  ])('%s names a repository', (url) => {
    expect(parseRemoteUrl(url)).toEqual({ host: 'github.com', owner: 'acme', name: 'shop' });
  });

  it.each([
    '/srv/git/shop.git',
    '../shop',
    'file:///srv/acme/shop.git',
    'https://github.com/-x/shop',
    'https://github.com/acme',
    'localhost:acme/shop',
  ])('%s names none', (url) => {
    expect(parseRemoteUrl(url)).toBeNull();
  });
});
