import type { Result } from '../../domain/result.js';
import { DONE, failed } from '../../domain/result.js';
import type { Git } from './git-command.js';

const MAX_BRANCH_BYTES = 200;
/** Names that every rule of git accepts and that stand for nothing else. */
const PLAIN_NAME = /^[A-Za-z0-9_]+(?:[./-][A-Za-z0-9_]+)*$/;

/** Whether a text can be the name of a task's branch, in git and for everything built on it. */
export async function checkBranchName(git: Git, branch: string): Promise<Result<void>> {
  const broken = HOUSE_RULES.find(({ isBroken }) => isBroken(branch));
  if (broken !== undefined) return failed({ kind: 'branch-invalid', branch, rule: broken.rule });
  if (PLAIN_NAME.test(branch) && !branch.includes('.lock')) return DONE;
  const expanded = await git.run({
    directory: '/',
    argv: ['check-ref-format', '--branch', branch],
  });
  if (!expanded.ok) return expanded;
  // Some names stand for another branch; only one that stands for itself will do.
  const isItself = expanded.value.exitCode === 0 && expanded.value.stdout === `${branch}\n`;
  return isItself
    ? DONE
    : failed({ kind: 'branch-invalid', branch, rule: 'git does not accept it' });
}

/** Fails when git could not keep this new branch beside an existing one (`feat` and `feat/x`). */
export async function checkBranchConflict(
  git: Git,
  repository: string,
  names: { readonly branch: string; readonly asideFrom?: string },
): Promise<Result<void>> {
  const { branch, asideFrom } = names;
  const parts = branch.split('/');
  const parents = parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join('/'));
  const listed = await git.text({
    directory: repository,
    argv: [
      'for-each-ref',
      '--format=%(refname:lstrip=2)',
      ...parents.map((parent) => `refs/heads/${parent}`),
      `refs/heads/${branch}/`,
    ],
  });
  if (!listed.ok) return listed;
  const clash = listed.value
    .split('\n')
    .find(
      (name) => (parents.includes(name) || name.startsWith(`${branch}/`)) && name !== asideFrom,
    );
  return clash === undefined ? DONE : failed({ kind: 'branch-conflict', branch, with: clash });
}

const HOUSE_RULES: readonly {
  readonly rule: string;
  readonly isBroken: (branch: string) => boolean;
}[] = [
  { rule: 'it is empty', isBroken: (branch) => branch === '' },
  { rule: 'it starts with a dash', isBroken: (branch) => branch.startsWith('-') },
  {
    rule: `it is longer than ${MAX_BRANCH_BYTES} bytes`,
    isBroken: (branch) => Buffer.byteLength(branch) > MAX_BRANCH_BYTES,
  },
  {
    rule: 'it contains control characters',
    isBroken: (branch) => /[\p{Cc}\p{Cs}\u2028\u2029]/u.test(branch),
  },
  {
    rule: 'git uses that name itself',
    isBroken: (branch) => /^(@|[A-Z_]*HEAD|refs\/.*|[0-9a-f]{40}|[0-9a-f]{64})$/s.test(branch),
  },
];
