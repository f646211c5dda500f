import { appendFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPullRequests } from '../../../src/adapters/github/pull-requests.js';
import type { PublishRequest } from '../../../src/domain/pull-request.js';
import { createGithubRig } from '../../rigs/github-rig.js';
import { failure, GitRig, value } from '../git/git-rig.js';

const URL = 'https://github.com/acme/shop/pull/1';

/** A repository with a branch `feat`, whose origin is on a GitHub of its own. */
function setUp(rig: GitRig) {
  const remote = rig.withCommit().withRemote();
  const github = createGithubRig(rig.root, remote);
  appendFileSync(join(rig.root, 'home', '.gitconfig'), github.gitConfig);
  rig.git(rig.repository, 'remote', 'set-url', 'origin', github.remoteUrl);
  rig.git(rig.repository, 'checkout', '-qb', 'feat');
  const tip = rig.commit(rig.repository, { 'new.txt': 'new\n' });
  const requests = createPullRequests({ ...rig.env, ...github.env });
  const request: PublishRequest = {
    repository: rig.repository,
    branch: 'feat',
    base: 'main',
    title: '-Add $(the) "feature"',
    body: 'What it does\n',
    isDraft: false,
  };
  return { github, requests, request, tip, remote };
}

describe('a pull request', () => {
  it('is opened once for a branch that is pushed, and pushed again when it is asked for again', async () => {
    await using rig = new GitRig();
    const { github, requests, request, tip, remote } = setUp(rig);
    const opened = value(await requests.publish(request));
    expect(opened).toEqual({
      url: URL,
      state: 'open',
      head: tip,
      mergeCommit: null,
      checks: 'none',
      remarks: [],
    });
    expect(rig.head(remote, 'feat')).toBe(tip);
    expect(github.pull(1)).toMatchObject({ title: request.title, body: request.body });
    const next = rig.commit(rig.repository, { 'more.txt': 'more\n' });
    expect(value(await requests.publish({ ...request, isDraft: true })).head).toBe(next);
    expect(github.calls().filter((call) => call.startsWith('pr create'))).toHaveLength(1);
  });

  it('tells that it was merged or closed, with the commits that it never had', async () => {
    await using rig = new GitRig();
    const { github, requests, request, tip } = setUp(rig);
    value(await requests.publish(request));
    const { repository } = rig;
    const left = { repository, branch: 'feat', commit: tip };
    expect(value(await requests.hasCommitsBeyond(left))).toBe(false);
    rig.commit(rig.repository, { 'late.txt': 'late\n' });
    github.gh('pr', 'close', '1');
    expect(value(await requests.view(URL))).toMatchObject({ state: 'closed', head: tip });
    expect(value(await requests.hasCommitsBeyond(left))).toBe(true);
    const unknown = 'f'.repeat(40);
    expect(value(await requests.hasCommitsBeyond({ ...left, commit: unknown }))).toBe(true);
    github.gh('pr', 'merge', '1');
    const merged = value(await requests.view(URL));
    expect(merged.state).toBe('merged');
    expect(merged.mergeCommit).toMatch(/^[0-9a-f]{40}$/);
  });

  it('brings along failing checks, reviews and comments on lines, all of it cleaned', async () => {
    await using rig = new GitRig();
    const { github, requests, request } = setUp(rig);
    value(await requests.publish(request));
    const said = { author: { login: 'kim' }, authorAssociation: 'MEMBER' };
    github.change(({ pulls: [pull] }) => {
      if (pull === undefined) return;
      pull.checks = [
        { __typename: 'CheckRun', name: 'build', status: 'COMPLETED', conclusion: 'SUCCESS' },
        {
          __typename: 'StatusContext',
          context: 'te\u001b[31mst',
          state: 'FAILURE',
          targetUrl: 'u',
        },
      ];
      pull.reviews = [{ ...said, id: 'R1', body: 'Not\u0007 yet', state: 'CHANGES_REQUESTED' }];
      pull.comments = [{ ...said, id: 'C1', body: 'hm', authorAssociation: 'NONE' }];
      const user = { login: 'kim' };
      pull.lineComments = [
        { id: 9, user, author_association: 'OWNER', body: 'why', path: 'new.txt', line: 1 },
      ];
    });
    const seen = value(await requests.view(URL));
    expect(seen.checks).toBe('failing');
    expect(seen.remarks).toMatchObject([
      { kind: 'check', author: 'test', where: 'u', isTrusted: true },
      { key: 'said:R1', author: 'kim', text: 'Not yet', isTrusted: true },
      { key: 'said:C1', text: 'hm', isTrusted: false },
      { key: 'line:9', where: 'new.txt:1', text: 'why', isTrusted: true },
    ]);
  });

  it('of several, is asked for in one call per repository, also when each is asked for by itself', async () => {
    await using rig = new GitRig();
    const { github, requests, request } = setUp(rig);
    value(await requests.publish(request));
    rig.git(rig.repository, 'checkout', '-qb', 'other');
    rig.commit(rig.repository, { 'other.txt': 'other\n' });
    value(await requests.publish({ ...request, branch: 'other' }));
    const before = github.calls().length;
    const missing = URL.replace('/1', '/77');
    const seen = value(await requests.viewAll([URL, URL.replace('/1', '/2')]));
    expect(seen.map(({ url }) => url)).toEqual([URL, URL.replace('/1', '/2')]);
    expect(github.calls().slice(before)).toHaveLength(1);
    expect(value(await requests.viewAll([missing]))).toEqual([]);
    const together = github.calls().length;
    const asked = [URL, URL.replace('/1', '/2'), missing].map((url) => requests.view(url));
    const [one, two, none] = await Promise.all(asked);
    expect([one, two].map((each) => each?.ok === true && each.value.url)).toEqual([
      URL,
      URL.replace('/1', '/2'),
    ]);
    expect(none).toMatchObject({ ok: false, failure: { kind: 'not-found' } });
    // One list, and a closer look for the one that it lacks.
    expect(
      github
        .calls()
        .slice(together)
        .map((call) => call.split(' ')[1]),
    ).toEqual(['list', 'view']);
  });

  it('begins with the template of the repository', async () => {
    await using rig = new GitRig();
    const { requests } = setUp(rig);
    const { repository } = rig;
    expect(value(await requests.readTemplate(repository, 'main'))).toBeNull();
    rig.commit(repository, { '.github/Pull_Request_Template.md': 'Why?\n' });
    expect(value(await requests.readTemplate(repository, 'feat'))).toBe('Why?');
  });
});

describe('without a way to GitHub, one line says why', () => {
  it('when gh is missing, not logged in, or the remote is none or elsewhere; and nothing is pushed', async () => {
    await using rig = new GitRig();
    const { github, requests, request, remote } = setUp(rig);
    const bin = join(rig.root, 'bin');
    mkdirSync(bin);
    symlinkSync(rig.gitProgram, join(bin, 'git'));
    const without = createPullRequests({ ...rig.env, PATH: bin });
    const kind = 'github-unavailable';
    expect(failure(await without.publish(request))).toMatchObject({ kind, reason: 'no-gh' });
    github.change((state) => (state.isLoggedIn = false));
    expect(failure(await requests.publish(request))).toMatchObject({
      kind,
      reason: 'not-logged-in',
      where: 'github.com',
    });
    rig.git(
      rig.repository,
      'remote',
      'set-url',
      'origin',
      'https://pat:secret@git.example.org/a/b',
    );
    expect(failure(await requests.publish(request))).toMatchObject({ reason: 'not-github' });
    rig.git(rig.repository, 'remote', 'set-url', 'origin', remote);
    expect(failure(await requests.publish(request))).toMatchObject({ reason: 'not-github' });
    rig.git(rig.repository, 'remote', 'remove', 'origin');
    expect(failure(await requests.publish(request))).toMatchObject({ reason: 'no-remote' });
    expect(rig.tryGit(remote, 'rev-parse', '--verify', '--quiet', 'feat')).not.toBe(0);
  });

  it('when the branch on the remote has gone another way, or there is nothing to merge', async () => {
    await using rig = new GitRig();
    const { requests, request, remote } = setUp(rig);
    rig.git(rig.repository, 'branch', 'empty', 'main');
    expect(failure(await requests.publish({ ...request, branch: 'empty' }))).toMatchObject({
      kind: 'merge-refused',
      reason: 'nothing-to-merge',
    });
    expect(failure(await requests.publish({ ...request, branch: 'nowhere' }))).toEqual({
      kind: 'branch-missing',
      branch: 'nowhere',
    });
    rig.pushFromElsewhere(remote, 'feat', { 'theirs.txt': 'theirs\n' });
    expect(failure(await requests.publish(request))).toEqual({
      kind: 'push-rejected',
      branch: 'feat',
    });
  });
});
