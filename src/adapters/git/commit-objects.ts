import type { Result } from '../../domain/result.js';
import { success } from '../../domain/result.js';
import type { Git } from './git-command.js';

export type CommitContent = {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
};

/** Makes a commit object without touching a ref; orange signs with its own name where nobody has one. */
export async function storeCommit(
  git: Git,
  directory: string,
  content: CommitContent & {
    readonly env?: Readonly<Record<string, string>>;
    readonly flags?: readonly string[];
  },
): Promise<Result<string>> {
  const store = (identity: Readonly<Record<string, string>>) =>
    git.text({
      directory,
      argv: [
        'commit-tree',
        ...(content.flags ?? []),
        content.tree,
        ...content.parents.flatMap((parent) => ['-p', parent]),
        '-F',
        '-',
      ],
      input: content.message,
      env: { ...identity, ...content.env },
    });
  const stored = await store({});
  if (stored.ok) return stored;
  const identity = await findStandIn(git, directory);
  if (!identity.ok) return identity;
  return Object.keys(identity.value).length === 0 ? stored : store(identity.value);
}

export async function readCommit(
  git: Git,
  directory: string,
  commit: string,
): Promise<Result<CommitContent>> {
  const shown = await git.text({
    directory,
    argv: ['log', '-1', '--no-show-signature', '--format=%T%n%P%n%B', commit, '--'],
  });
  if (!shown.ok) return shown;
  const [tree = '', parents = '', ...message] = shown.value.split('\n');
  return success({
    tree,
    parents: parents.split(' ').filter((parent) => parent !== ''),
    message: `${message.join('\n').trimEnd()}\n`,
  });
}

/** Orange's own name for each role in which the person has none. */
async function findStandIn(
  git: Git,
  directory: string,
): Promise<Result<Readonly<Record<string, string>>>> {
  const known = await git.run({ directory, argv: ['var', 'GIT_COMMITTER_IDENT'] });
  if (!known.ok) return known;
  const author = await git.run({ directory, argv: ['var', 'GIT_AUTHOR_IDENT'] });
  if (!author.ok) return author;
  return success({
    ...(author.value.exitCode === 0 ? {} : identityOf('AUTHOR')),
    ...(known.value.exitCode === 0 ? {} : identityOf('COMMITTER')),
  });
}

function identityOf(role: 'AUTHOR' | 'COMMITTER'): Readonly<Record<string, string>> {
  return { [`GIT_${role}_NAME`]: 'orange', [`GIT_${role}_EMAIL`]: 'orange@localhost' };
}
