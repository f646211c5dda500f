import { cleanText } from '../../domain/clean-text.js';
import { failed, success, type Result } from '../../domain/result.js';
import type { Git } from '../git/git-command.js';

/** A repository on GitHub, and the words by which gh knows it. */
export type GithubRepository = {
  readonly host: string;
  readonly owner: string;
  readonly name: string;
};

export function nameRepository({ host, owner, name }: GithubRepository): string {
  return `${host}/${owner}/${name}`;
}

/** Where a repository's pull requests go, and where its branches are pushed. */
export type GithubPlaces = {
  readonly base: GithubRepository;
  readonly head: GithubRepository;
};

/**
 * Branches go to `origin`. Pull requests go to the remote that `gh repo set-default` chose, else to
 * `upstream` where there is one, else to `origin`.
 */
export async function findRepositories(
  git: Git,
  repository: string,
): Promise<Result<GithubPlaces>> {
  const listed = await git.run({
    directory: repository,
    argv: ['config', '-z', '--get-regexp', String.raw`^remote\..*\.(url|gh-resolved)$`],
  });
  if (!listed.ok) return listed;
  const entries = listed.value.stdout.split('\0').map((entry): [string, string] => {
    const end = entry.indexOf('\n');
    return [entry.slice(0, end), entry.slice(end + 1)];
  });
  const valueOf = (key: string): string | null =>
    entries.findLast(([name]) => name === key)?.[1] ?? null;
  const url = valueOf('remote.origin.url');
  if (url === null) return unavailable('no-remote', repository);
  const head = parseRemoteUrl(url) ?? (await readRewritten(git, repository));
  if (head === null) return unavailable('not-github', withoutSecrets(url));
  const chosen = entries.find(([key, value]) => key.endsWith('.gh-resolved') && value === 'base');
  const remotes = [chosen?.[0].replace(/\.gh-resolved$/, ''), 'remote.upstream'];
  const base = remotes
    .map((remote) => (remote === undefined ? null : valueOf(`${remote}.url`)))
    .map((address) => (address === null ? null : parseRemoteUrl(address)))
    .find((found) => found !== null && found.host === head.host);
  return success({ head, base: base ?? head });
}

/** The address as git itself would use it, for shorthands that only its configuration knows. */
async function readRewritten(git: Git, repository: string): Promise<GithubRepository | null> {
  const argv = ['remote', 'get-url', 'origin'];
  const url = await git.text({ directory: repository, argv });
  return url.ok ? parseRemoteUrl(url.value) : null;
}

/** The repository behind the address of a remote; null when it is a path or something else. */
export function parseRemoteUrl(url: string): GithubRepository | null {
  const match = WITH_SCHEME.exec(url) ?? LIKE_SCP.exec(url);
  const [, host = '', owner = '', name = ''] = match ?? [];
  if (match === null) return null;
  return { host: host.toLowerCase().replace(/^(ssh|www)\.(?=github\.com$)/, ''), owner, name };
}

const HOST = '([A-Za-z0-9][A-Za-z0-9-]*(?:\\.[A-Za-z0-9-]+)+)';
const PATH = '([A-Za-z0-9_][\\w.-]*)/([A-Za-z0-9_.][\\w.-]*?)(?:\\.git)?/?$';
const WITH_SCHEME = new RegExp(`^(?:https?|ssh|git)://(?:[^@/]*@)?${HOST}(?::\\d+)?/${PATH}`);
const LIKE_SCP = new RegExp(`^(?:[^@/:]*@)?${HOST}:/?${PATH}`);

function withoutSecrets(url: string): string {
  return cleanText(url)
    .replace(/\/\/[^@/]*@/, '//')
    .slice(0, 200);
}

function unavailable(reason: 'no-remote' | 'not-github', where: string): Result<never> {
  return failed({ kind: 'github-unavailable', reason, where });
}
