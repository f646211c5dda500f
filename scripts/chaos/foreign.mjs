import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { write } from '../lib/throwaway-root.mjs';
import { pathsBelow } from './oracle/paths-below.mjs';
import { readText } from './oracle/read-home.mjs';
import { mustRun, run } from './run.mjs';

/**
 * Things that are not orange's: another repository with a branch, a stash and a worktree, a branch,
 * a stash, a tag and a worktree of the user in the very repository that orange works on, what git does
 * not keep in the user's own checkout of it, and a tmux server with a session. Gives a function that
 * looks at all of it again.
 */
export async function makeForeign({ root, repository, env, git }) {
  const other = join(root, 'other');
  mkdirSync(other);
  await git(other, 'init', '--quiet');
  await fill(git, other, 'theirs');
  const otherTree = join(root, 'other-tree');
  await git(other, 'worktree', 'add', '--quiet', '-b', 'theirs', otherTree);
  await fill(git, repository, 'mine');
  const mine = join(root, 'mine');
  await git(repository, 'worktree', 'add', '--quiet', '-b', 'user/own', mine);
  await git(repository, 'tag', 'user-tag');
  writeFileSync(join(mine, 'unsaved.txt'), 'not committed\n');
  write(join(repository, 'notes.txt'), 'untracked\n');
  write(join(repository, 'cache', 'mine'), 'ignored\n');
  const socket = join(root, 'foreign.sock');
  const tmux = (...args) => ['-f', '/dev/null', '-S', socket, ...args];
  await mustRun('tmux', tmux('new-session', '-d', '-s', 'shop/theirs', 'sleep 1000000'), { env });
  const look = async () => ({
    other: [treeDigest(other), treeDigest(otherTree)].join(' '),
    mine: treeDigest(mine),
    checkout: await lookAtCheckout(git, repository),
    refs: await git(
      repository,
      'for-each-ref',
      '--format=%(refname) %(objectname)',
      'refs/heads/user',
      'refs/tags',
      'refs/stash',
    ),
    stash: await git(repository, 'stash', 'list', '--format=%H %gs'),
    config: readFileSync(join(repository, '.git', 'config'), 'utf8'),
    tmux: (
      await run(
        'tmux',
        tmux('list-panes', '-a', '-F', '#{session_name} #{pane_id} #{pane_pid} #{pane_dead}'),
        { env },
      )
    ).stdout,
  });
  return { look, before: await look(), end: () => run('tmux', tmux('kill-server'), { env }) };
}

async function fill(git, repository, word) {
  writeFileSync(join(repository, `${word}.txt`), `${word}\n`);
  await git(repository, 'add', '--all');
  await git(repository, 'commit', '--quiet', '--message', `Add ${word}`);
  writeFileSync(join(repository, `${word}.txt`), `${word}, changed\n`);
  await git(repository, 'stash', 'push', '--quiet', '--message', `${word} stash`);
}

/** A merge brings the checkout of the base forward, and changes nothing else there. */
async function lookAtCheckout(git, repository) {
  const head = await git(repository, 'rev-parse', '--symbolic-full-name', 'HEAD');
  const status = ['--no-optional-locks', 'status', '--porcelain', '--ignored'];
  const own = ['notes.txt', 'cache/mine'].map((name) => readText(join(repository, name)) ?? 'gone');
  return [head, await git(repository, ...status), ...own].join('');
}

/** One digest of every name, mode, link and byte under a folder. */
function treeDigest(folder) {
  const hash = createHash('sha256');
  for (const path of pathsBelow(folder).toSorted()) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    hash.update(`${path}\0${stats.mode}\0`);
    if (stats.isFile()) hash.update(readFileSync(path));
    else if (stats.isSymbolicLink()) hash.update(readlinkSync(path));
  }
  return hash.digest('hex');
}
