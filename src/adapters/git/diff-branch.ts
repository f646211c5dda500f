import { pid } from 'node:process';
import type { BranchDiff, DiffPart, DiffPlace, DiffRequest } from '../../domain/branch-diff.js';
import type { Result } from '../../domain/result.js';
import { success } from '../../domain/result.js';
import { findFork } from './fork-point.js';
import type { GitContext } from './git-context.js';
import type { Snapshot } from './snapshot.js';
import { takeSnapshot } from './snapshot.js';
import { hasUncommittedWork } from './uncommitted-work.js';
import { readWorktree } from './worktree-state.js';

const MAX_DIFF_BYTES = 4 * 1024 * 1024;
const MAX_COMMITS = 100;

/** What a branch changed since it left its base, with what lies uncommitted in its worktree. */
export async function diffBranch(
  context: GitContext,
  request: DiffRequest,
): Promise<Result<BranchDiff>> {
  const fork = await findFork(context, request);
  if (!fork.ok) return fork;
  const { from, tip } = fork.value;
  const work = await findWork(context, request);
  if (!work.ok) return work;
  const parts = await showParts(context, request, listRanges({ from, tip, work: work.value }));
  if (!parts.ok) return parts;
  const all = { from, to: work.value?.tree ?? tip, flags: [] };
  const whole =
    work.value === null
      ? success(parts.value[0]?.text ?? '')
      : await showDiff(context, request, all);
  if (!whole.ok) return whole;
  const commits = await listCommits(context, request.repository, { from, to: tip });
  if (!commits.ok) return commits;
  return success({ all: whole.value, parts: parts.value, ...commits.value });
}

async function showParts(
  context: GitContext,
  request: DiffRequest,
  ranges: readonly (Range & { readonly place: DiffPlace })[],
): Promise<Result<readonly DiffPart[]>> {
  const parts: DiffPart[] = [];
  for (const range of ranges) {
    const text = await showDiff(context, request, range);
    if (!text.ok) return text;
    if (text.value !== '') parts.push({ place: range.place, text: text.value });
  }
  return success(parts);
}

/** What the worktree holds beyond the branch's tip; null when that is nothing. */
async function findWork(
  context: GitContext,
  request: DiffRequest,
): Promise<Result<Snapshot | null>> {
  if (request.worktree === null) return success(null);
  const worktree = await readWorktree(context, request.repository, request.worktree);
  if (!worktree.ok) return worktree;
  if (worktree.value === null || worktree.value.branch !== request.branch) return success(null);
  const isDirty = await hasUncommittedWork(context, request.worktree);
  if (!isDirty.ok || !isDirty.value) return isDirty.ok ? success(null) : isDirty;
  return takeSnapshot(context, worktree.value, `orange-diff-${pid}`);
}

type Range = { readonly from: string; readonly to: string; readonly flags: readonly string[] };

function listRanges(known: {
  readonly from: string;
  readonly tip: string;
  readonly work: Snapshot | null;
}): readonly (Range & { readonly place: DiffPlace })[] {
  const { from, tip, work } = known;
  const committed = { place: 'committed', from, to: tip, flags: [] } as const;
  if (work === null) return [committed];
  const { tree, indexTree: index } = work;
  if (index === null) return [committed, { place: 'unmerged', from: tip, to: tree, flags: [] }];
  // What the index does not have is untracked, a file that was only moved there as well.
  const loose = { from: index, to: tree };
  return [
    committed,
    { place: 'staged', from: tip, to: index, flags: [] },
    { place: 'unstaged', ...loose, flags: ['--no-renames', '--diff-filter=a'] },
    { place: 'untracked', ...loose, flags: ['--no-renames', '--diff-filter=A'] },
  ];
}

async function listCommits(
  context: GitContext,
  directory: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Result<Pick<BranchDiff, 'commits' | 'commitCount'>>> {
  const range = `${from}..${to}`;
  const counted = await context.git.text({ directory, argv: ['rev-list', '--count', range, '--'] });
  if (!counted.ok) return counted;
  const form = ['--no-commit-header', '--format=%h %s', `--max-count=${MAX_COMMITS}`];
  const listed = await context.git.text({ directory, argv: ['rev-list', ...form, range, '--'] });
  if (!listed.ok) return listed;
  const commits = listed.value.split('\n').filter((line) => line !== '');
  return success({ commits, commitCount: Number(counted.value) });
}

async function showDiff(
  context: GitContext,
  request: DiffRequest,
  range: Range,
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
        ...PLAIN_PATCH,
        ...form,
        ...range.flags,
        range.from,
        range.to,
        '--',
        ...wanted,
        ':(top,exclude,literal)TASK.md',
      ],
      maxBytes,
    });
  const width = request.columns === undefined ? '160,120' : String(request.columns);
  const stat = [`--stat=${width}`, '--stat-count=500'];
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

// A person's own settings (diff.noprefix and the like) must not change what a patch looks like.
const PLAIN_PATCH = ['--src-prefix=a/', '--dst-prefix=b/', '--submodule=short'];
