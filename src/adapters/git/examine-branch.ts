import type { Examination, MergeRequest } from '../../domain/merge-request.js';
import type { Result } from '../../domain/result.js';
import { DONE, failed, success } from '../../domain/result.js';
import { buildMerge } from './build-merge.js';
import { explain } from './git-command.js';
import type { GitContext } from './git-context.js';
import { inRepositoryTurn } from './git-context.js';
import { readTips, refuseUnsavedWork } from './merge-branch.js';
import type { Tips } from './merge-steps.js';
import { tryInScratch } from './scratch-worktree.js';
import { findStartPoint } from './start-point.js';

/** Builds the merge and has it tried, if there is no conflict; no branch and no checkout changes. */
export async function examineBranch(
  context: GitContext,
  request: MergeRequest,
): Promise<Result<Examination>> {
  const looked = await inRepositoryTurn(context, request.repository, () => look(context, request));
  if (!looked.ok) return looked;
  const { commit, examination } = looked.value;
  const { repository, trial } = request;
  const tried =
    commit === null || trial === null
      ? DONE
      : await tryInScratch(context, { repository, commit }, trial);
  return tried.ok ? success(examination) : tried;
}

type Looked = {
  /** The result; null when there are conflicts. */
  readonly commit: string | null;
  readonly examination: Examination;
};

async function look(context: GitContext, request: MergeRequest): Promise<Result<Looked>> {
  const { git } = context;
  const { repository } = request;
  const saved = await refuseUnsavedWork(context, request);
  if (!saved.ok) return saved;
  const start = await findStartPoint(git, repository, request.base);
  if (!start.ok) return start;
  const found = await readTips(context, request, start.value);
  if (!found.ok) return found;
  const tips = found.value;
  const overlap = await findOverlap(context, repository, tips);
  if (!overlap.ok) return overlap;
  const behind = await git.text({
    directory: repository,
    argv: ['rev-list', '--count', `${tips.branch}..${tips.base}`, '--'],
  });
  if (!behind.ok) return behind;
  const { tree, conflicts, merged } = overlap.value;
  const size = await measure(context, repository, { from: tips.base, to: tree });
  if (!size.ok) return size;
  const built =
    conflicts.length > 0
      ? success({ commit: null, conflicts })
      : await tryBuild(context, request, tips);
  if (!built.ok) return built;
  const examination: Examination = {
    head: tips.branch,
    base: tips.base,
    behind: Number(behind.value),
    ...size.value,
    conflicts: built.value.conflicts,
    merged,
  };
  return success({ commit: built.value.commit, examination });
}

/** Commits put on top one by one can conflict where the whole does not. */
async function tryBuild(
  context: GitContext,
  request: MergeRequest,
  tips: Tips,
): Promise<Result<Pick<Looked, 'commit'> & Pick<Examination, 'conflicts'>>> {
  const built = await buildMerge(context, request, { tips, earlier: null });
  if (built.ok) return success({ commit: built.value, conflicts: [] });
  if (built.failure.kind !== 'merge-conflict') return built;
  const conflicts = built.failure.files.map((file) => ({ file, type: request.strategy }));
  return success({ commit: null, conflicts });
}

type Overlap = Pick<Examination, 'conflicts' | 'merged'> & { readonly tree: string };

async function findOverlap(
  context: GitContext,
  directory: string,
  tips: Tips,
): Promise<Result<Overlap>> {
  const flags = ['--write-tree', '-z', '--name-only', '--messages'];
  const call = { directory, argv: ['merge-tree', ...flags, tips.base, tips.branch] };
  const outcome = await context.git.run(call);
  if (!outcome.ok) return outcome;
  const { exitCode, stdout } = outcome.value;
  if (exitCode > 1) return failed(explain(call, outcome.value));
  return success(parseMergeTree(stdout));
}

/** Reads `git merge-tree --write-tree -z --name-only --messages`. */
export function parseMergeTree(output: string): Overlap {
  const [tree = '', ...fields] = output.split('\0');
  const end = fields.indexOf('');
  const files = [...new Set(fields.slice(0, Math.max(0, end)))];
  const types = new Map<string, string>();
  const merged = new Set<string>();
  for (let at = end + 1; at > 0 && at < fields.length; ) {
    const count = Number(fields[at]);
    if (!Number.isInteger(count) || fields[at] === '') break;
    const paths = fields.slice(at + 1, at + 1 + count);
    const type = fields[at + 1 + count] ?? '';
    for (const path of paths) {
      if (type === 'Auto-merging') merged.add(path);
      else if (!types.has(path)) types.set(path, type.replace(/^CONFLICT \((.*)\)$/, '$1'));
    }
    at += count + 3;
  }
  return {
    tree,
    conflicts: files.map((file) => ({ file, type: types.get(file) ?? 'conflict' })),
    merged: [...merged].filter((file) => !files.includes(file)),
  };
}

/** How much the merge would change in its base; a binary file has no lines. */
async function measure(
  context: GitContext,
  directory: string,
  range: { readonly from: string; readonly to: string },
): Promise<Result<Pick<Examination, 'files' | 'lines'>>> {
  const listed = await context.git.list({
    directory,
    argv: ['diff-tree', ...PLAIN, '-r', '-z', '--numstat', range.from, range.to, '--'],
  });
  if (!listed.ok) return listed;
  const counts = listed.value.map((row) =>
    row
      .split('\t')
      .slice(0, 2)
      .map((each) => Number(each)),
  );
  const lines = counts.flat().filter((count) => Number.isInteger(count));
  return success({ files: counts.length, lines: lines.reduce((sum, each) => sum + each, 0) });
}

const PLAIN = ['--no-ext-diff', '--no-textconv', '--no-renames'];
