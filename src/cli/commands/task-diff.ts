import type { Command } from 'commander';
import type { BranchDiff, DiffForm, DiffPlace } from '../../domain/branch-diff.js';
import { revealText } from '../../domain/clean-text.js';
import type { Failure } from '../../domain/failure.js';
import { failed } from '../../domain/result.js';
import type { TaskView } from '../../domain/task-view.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { withJson, withPager, type JsonOption, type PagerOption } from '../options.js';
import { paintDiff } from '../paint-diff.js';
import { paint } from '../paint.js';
import { readDiff } from '../read-diff.js';
import { readTaskHistory } from '../read-task.js';
import { resolveTask } from '../resolve-name.js';
import { showLong } from '../show-long.js';
import { count, oneLine } from '../table.js';

type DiffOptions = JsonOption &
  PagerOption & {
    readonly stat?: boolean;
    readonly full?: boolean;
    readonly nameOnly?: boolean;
  };

export function addTaskDiffCommand(parent: Command, run: Run): void {
  withPager(withJson(parent.command('diff')))
    .description('what a task has changed since it left its base, uncommitted work told apart')
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .argument(
      '[paths...]',
      'every change of these files or folders, from the top of the repository',
    )
    .option('--stat', 'which files, and how much (default, unless paths are given)')
    .option('--full', 'every change')
    .option('--name-only', 'only the names of the files')
    .action((name: string | undefined, paths: readonly string[], options: DiffOptions) =>
      run(options, (context) => diffTask(context, { name, paths }, options)),
    );
}

export async function diffTask(
  context: CommandContext,
  { name, paths }: { readonly name: string | undefined; readonly paths: readonly string[] },
  options: DiffOptions,
): Promise<Ending> {
  const { output } = context;
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  const form = chooseForm(options, paths);
  const diff = await readDiff(context, task.value, {
    form,
    paths,
    ...(output.form === 'human' && Number.isFinite(output.columns)
      ? { columns: output.columns }
      : {}),
  });
  if (!diff.ok) return failed(explainGone(context, diff.failure, task.value));
  const { all, parts, commits, base } = diff.value;
  const { id, branch } = task.value.fields;
  const place = { branch, base };
  const text = form === 'names' ? paintDiff(all, form) : formatDiff(diff.value, form, place);
  await showLong(
    context,
    { value: { id, ...place, form, diff: all, parts, commits }, text },
    options,
  );
  const where = paths.length === 0 ? '' : ` in ${oneLine(paths.join(', '))}`;
  if (all === '') output.note(`Nothing changed${where} since ${oneLine(base)}.`);
  return ENDED_WELL;
}

/** The branch of a task that was merged is gone for good; its history has what it became. */
function explainGone(context: CommandContext, failure: Failure, task: TaskView): Failure {
  const { status, id } = task.fields;
  if (failure.kind !== 'branch-missing' || status !== 'done') return failure;
  const history = readTaskHistory(context, task);
  const merged = history.ok
    ? history.value.findLast(({ type }) => type === 'task.merged' || type === 'pr.merged')
    : undefined;
  const commit = merged?.['commit'];
  const isKnown = typeof commit === 'string' && /^[0-9a-f]{4,64}$/.test(commit);
  return { ...failure, mergedAs: isKnown ? commit : `refs/orange/merged/${id}` };
}

/** Whoever names files wants to see what is in them. */
function chooseForm(options: DiffOptions, paths: readonly string[]): DiffForm {
  if (options.nameOnly === true) return 'names';
  if (options.full === true) return 'full';
  return options.stat === true || paths.length === 0 ? 'stat' : 'full';
}

const TITLES: Readonly<Record<Exclude<DiffPlace, 'committed'>, string>> = {
  staged: 'Staged, not committed:',
  unstaged: 'Changed, not staged:',
  untracked: 'Untracked:',
  unmerged: 'Not committed, with conflicts that are not resolved:',
};

/** Every place where something changed, each under a title, for a person. */
export function formatDiff(
  diff: BranchDiff,
  form: DiffForm,
  place: { readonly branch: string; readonly base: string },
): string {
  const blocks = diff.parts.map((part) => {
    const title =
      part.place === 'committed' ? titleCommits(diff, place) : paint('bold', TITLES[part.place]);
    return `${title}\n${paintDiff(part.text, form)}`;
  });
  return blocks.join('\n\n');
}

function titleCommits(
  { commits, commitCount }: BranchDiff,
  { branch, base }: { readonly branch: string; readonly base: string },
): string {
  const shown = commits.slice(0, MAX_COMMITS).map((commit) => `  ${revealText(commit)}`);
  const more = commitCount - shown.length;
  return [
    paint('bold', `${count(commitCount, 'commit')} on ${oneLine(branch)} since ${oneLine(base)}:`),
    ...shown,
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n');
}

const MAX_COMMITS = 10;
