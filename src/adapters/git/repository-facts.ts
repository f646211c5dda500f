import { basename, dirname } from 'node:path';
import type { Result } from '../../domain/result.js';
import { failed, success } from '../../domain/result.js';
import type { RepositoryFacts } from '../../ports.js';
import type { Git } from './git-command.js';
import { readCommonDirectory } from './git-context.js';

/** What a path inside a repository, one of its worktrees or a bare repository says about it. */
export async function inspectRepository(git: Git, path: string): Promise<Result<RepositoryFacts>> {
  const place = await findRoot(git, path);
  if (!place.ok) return place;
  const { root, isBare } = place.value;
  const branches = await listBranches(git, root);
  if (!branches.ok) return branches;
  const remotes = await git.text({ directory: root, argv: ['remote'] });
  if (!remotes.ok) return remotes;
  const defaultBranch = await chooseDefaultBranch(git, root, branches.value);
  if (!defaultBranch.ok) return defaultBranch;
  const anyCommit = await git.text({ directory: root, argv: ['rev-list', '-n1', '--all'] });
  if (!anyCommit.ok) return anyCommit;
  return success({
    root,
    isBare,
    defaultBranch: defaultBranch.value,
    hasCommits: anyCommit.value !== '',
    remote: remotes.value.split('\n').includes('origin') ? 'origin' : null,
  });
}

async function findRoot(
  git: Git,
  path: string,
): Promise<Result<{ readonly root: string; readonly isBare: boolean }>> {
  const common = await readCommonDirectory(git, path);
  if (!common.ok) {
    return common.failure.kind === 'command-failed'
      ? failed({ kind: 'not-a-repository', path })
      : common;
  }
  const directory = common.value;
  const bare = await git.text({ directory, argv: ['rev-parse', '--is-bare-repository'] });
  if (!bare.ok) return bare;
  if (bare.value === 'true') return success({ root: directory, isBare: true });
  if (basename(directory) === '.git') return success({ root: dirname(directory), isBare: false });
  // A repository whose git directory lies elsewhere is named by its own checkout only.
  const own = await git.run({ directory: path, argv: ['rev-parse', '--show-toplevel'] });
  if (!own.ok) return own;
  const gitDirectory = await git.text({
    directory: path,
    argv: ['rev-parse', '--absolute-git-dir'],
  });
  if (!gitDirectory.ok) return gitDirectory;
  const isMain = own.value.exitCode === 0 && gitDirectory.value === directory;
  return isMain
    ? success({ root: own.value.stdout.replace(/\n$/, ''), isBare: false })
    : failed({ kind: 'not-a-repository', path });
}

async function listBranches(git: Git, root: string): Promise<Result<ReadonlySet<string>>> {
  const listed = await git.text({
    directory: root,
    argv: ['for-each-ref', '--format=%(refname)', 'refs/heads', 'refs/remotes/origin'],
  });
  if (!listed.ok) return listed;
  const names = listed.value
    .split('\n')
    .map((ref) => ref.replace(/^refs\/(heads|remotes\/origin)\//, ''));
  return success(new Set(names.filter((name) => name !== '' && name !== 'HEAD')));
}

async function chooseDefaultBranch(
  git: Git,
  root: string,
  branches: ReadonlySet<string>,
): Promise<Result<string>> {
  const remote = await readSymbolicRef(git, root, 'refs/remotes/origin/HEAD');
  if (!remote.ok) return remote;
  const configured = await git.run({
    directory: root,
    argv: ['config', '--get', 'init.defaultBranch'],
  });
  if (!configured.ok) return configured;
  const current = await readSymbolicRef(git, root, 'HEAD');
  if (!current.ok) return current;
  const wanted = [
    remote.value?.replace('refs/remotes/origin/', '') ?? '',
    configured.value.stdout.trim(),
    'main',
    'master',
  ];
  const own = current.value?.replace('refs/heads/', '') ?? null;
  const existing = wanted.find((name) => branches.has(name));
  return success(existing ?? own ?? [...branches][0] ?? 'main');
}

async function readSymbolicRef(
  git: Git,
  directory: string,
  ref: string,
): Promise<Result<string | null>> {
  const outcome = await git.run({ directory, argv: ['symbolic-ref', '--quiet', ref] });
  if (!outcome.ok) return outcome;
  return success(outcome.value.exitCode === 0 ? outcome.value.stdout.trim() : null);
}
