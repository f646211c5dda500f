import type { Result } from '../../domain/result.js';
import { failed, success } from '../../domain/result.js';
import type { GitContext } from './git-context.js';
import { branchRef, resolveCommit } from './refs.js';
import { takeSnapshot } from './snapshot.js';
import { findStartPoint } from './start-point.js';
import { hasUncommittedWork } from './uncommitted-work.js';
import { readWorktree } from './worktree-state.js';

export type DiffRequest = {
  readonly repository: string;
  readonly worktree: string | null;
  readonly branch: string;
  readonly base: string;
  readonly form: 'stat' | 'full' | 'names';
  readonly paths?: readonly string[];
};

const MAX_DIFF_BYTES = 4 * 1024 * 1024;

/** What a branch changed since it left its base, with what lies uncommitted in its worktree. */
export async function diffBranch(
  context: GitContext,
  request: DiffRequest,
): Promise<Result<string>> {
  const { git } = context;
  const { repository } = request;
  const tip = await resolveCommit(git, repository, branchRef(request.branch));
  if (!tip.ok) return tip;
  if (tip.value === null) return failed({ kind: 'branch-missing', branch: request.branch });
  const start = await findStartPoint(git, repository, request.base);
  if (!start.ok) return start;
  const fork = await git.run({
    directory: repository,
    argv: ['merge-base', '--end-of-options', start.value.commit, tip.value],
  });
  if (!fork.ok) return fork;
  const from = fork.value.exitCode === 0 ? fork.value.stdout.trim() : start.value.commit;
  const to = await findContent(context, request, tip.value);
  if (!to.ok) return to;
  return showDiff(context, request, { from, to: to.value });
}

/** The branch's tip, or the tree of its worktree when that holds more. */
async function findContent(
  context: GitContext,
  request: DiffRequest,
  tip: string,
): Promise<Result<string>> {
  if (request.worktree === null) return success(tip);
  const worktree = await readWorktree(context, request.repository, request.worktree);
  if (!worktree.ok) return worktree;
  if (worktree.value === null || worktree.value.branch !== request.branch) return success(tip);
  const isDirty = await hasUncommittedWork(context, request.worktree);
  if (!isDirty.ok || !isDirty.value) return isDirty.ok ? success(tip) : isDirty;
  const snapshot = await takeSnapshot(context, worktree.value);
  return snapshot.ok ? success(snapshot.value.tree) : snapshot;
}

async function showDiff(
  context: GitContext,
  request: DiffRequest,
  range: { readonly from: string; readonly to: string },
): Promise<Result<string>> {
  const paths = request.paths ?? [];
  const wanted = paths.length === 0 ? ['.'] : paths.map((path) => `:(top,literal)${path}`);
  const show = (form: readonly string[], maxBytes: number) =>
    context.git.text({
      directory: request.repository,
      argv: [
        'diff',
        '--no-ext-diff',
        '--no-textconv',
        '--no-color',
        '--ignore-submodules=dirty',
        ...form,
        range.from,
        range.to,
        '--',
        ...wanted,
        ':(top,exclude,literal)TASK.md',
      ],
      maxBytes,
    });
  const stat = ['--stat=160,120', '--stat-count=500'];
  const forms = { full: ['--patch'], names: ['--name-only'], stat };
  const first = await show(forms[request.form], MAX_DIFF_BYTES);
  if (first.ok) return first;
  const isTooLarge =
    first.failure.kind === 'command-failed' && first.failure.output === 'output-too-large';
  if (!isTooLarge || request.form !== 'full') return first;
  const summary = await show(stat, MAX_DIFF_BYTES);
  if (!summary.ok) return summary;
  return success(`# more than ${MAX_DIFF_BYTES} bytes; summary only\n${summary.value}`);
}
