import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createGithubRig } from '../rigs/github-rig.js';
import { createRig, type Rig } from './orange-rig.js';

/** Puts the rig's repository on a GitHub of its own. */
function publishRepository(rig: Rig) {
  const remote = join(rig.root, 'remote.git');
  rig.git(rig.root, 'init', '--quiet', '--bare', remote);
  const github = createGithubRig(rig.root, remote);
  appendFileSync(join(rig.root, 'gitconfig'), github.gitConfig);
  rig.git(rig.repository, 'remote', 'add', 'origin', github.remoteUrl);
  rig.git(rig.repository, 'push', '--quiet', 'origin', 'main');
  Object.assign(rig.env, github.env);
  return github;
}

/** A branch with one commit, and a task that waits for a person to look at it. */
async function createWork(rig: Rig, branch: string): Promise<string> {
  rig.git(rig.repository, 'switch', '--quiet', '--create', branch, 'main');
  rig.write(join(rig.repository, `${branch}.txt`), `${branch}\n`);
  rig.git(rig.repository, 'add', '--all');
  rig.git(rig.repository, 'commit', '--quiet', '--message', branch);
  rig.git(rig.repository, 'switch', '--quiet', 'main');
  return rig.create(branch, `Add ${branch}`, '--status', 'reviewing', '--context', 'Because.');
}

it('a task goes to GitHub and is done when it is merged there, cancelled when it is closed there', async () => {
  await using rig = await createRig({
    agents: { plain: { worker: 'idle' } },
    // Nobody but the test asks GitHub, so that it is the one who learns the news.
    settings: { pr: { poll_minutes: 0 } },
  });
  const github = publishRepository(rig);
  const first = await createWork(rig, 'first');

  github.change((state) => (state.isLoggedIn = false));
  const refused = await rig.orange('pr', 'create', first);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('gh is not logged in (github.com).');
  expect(refused.stderr).toContain('gh auth login');
  github.change((state) => (state.isLoggedIn = true));

  const url = 'https://github.com/acme/shop/pull/1';
  const created = await rig.must('pr', 'create', first, '--json');
  expect(created.json()).toMatchObject({ pr_url: url, pr_state: 'open', status: 'reviewing' });
  expect(github.pull(1)).toMatchObject({
    title: 'Add first',
    body: 'Add first\n\n## Context\n\nBecause.\n',
  });
  expect((await rig.must('pr', 'open', first)).stdout).toBe(`${url}\n`);
  const local = await rig.orange('task', 'merge', first, '--yes', '--json');
  expect(local.json()).toMatchObject({ error: { code: 'pr-open' } });

  github.gh('pr', 'merge', '1');
  const merged = await rig.must('pr', 'sync', first, '--json');
  expect(merged.json()).toMatchObject({ status: 'done', pr_state: 'merged' });
  expect(rig.history(first).map(({ type }) => type)).toEqual(
    expect.arrayContaining(['pr.opened', 'pr.merged', 'auto.advanced']),
  );

  const second = await createWork(rig, 'second');
  await rig.must('pr', 'create', second, '--draft');
  github.gh('pr', 'close', '2');
  const closed = await rig.must('pr', 'sync', '--all', '--json');
  expect(closed.json()).toMatchObject([{ id: second, status: 'cancelled', pr_state: 'closed' }]);
});
