import type { Command } from 'commander';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { withJson, type JsonOption } from '../options.js';
import { readDiff, type DiffWish } from '../read-diff.js';
import { resolveTask } from '../resolve-name.js';

type DiffOptions = JsonOption & { readonly stat?: boolean; readonly nameOnly?: boolean };

export function addTaskDiffCommand(parent: Command, run: Run): void {
  withJson(parent.command('diff'))
    .description('what a task has changed since it left its base, uncommitted work included')
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .argument('[paths...]', 'only these files or folders, from the top of the repository')
    .option('--stat', 'only which files, and how much')
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
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  const diff = await readDiff(context, task.value, { form: chooseForm(options), paths });
  if (!diff.ok) return diff;
  const { base, text } = diff.value;
  const { id, branch } = task.value.fields;
  context.output.result({ id, base, branch, diff: text }, () => text);
  return ENDED_WELL;
}

function chooseForm(options: DiffOptions): DiffWish['form'] {
  if (options.nameOnly === true) return 'names';
  return options.stat === true ? 'stat' : 'full';
}
