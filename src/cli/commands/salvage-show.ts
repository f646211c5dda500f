import type { Command } from 'commander';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { findSalvage } from '../find-salvage.js';
import { withJson, withPager, type JsonOption, type PagerOption } from '../options.js';
import { paintDiff } from '../paint-diff.js';
import { requireProject } from '../resolve-name.js';
import { showLong } from '../show-long.js';

type ShowOptions = JsonOption & PagerOption & { readonly stat?: boolean; readonly full?: boolean };

export function addSalvageShowCommand(parent: Command, run: Run): void {
  withPager(withJson(parent.command('show')))
    .description('what was saved, beside the commit that was checked out')
    .argument('<ref>', 'salvage ref, TASK/N, or a task, of which the latest counts')
    .option('--stat', 'which files, and how much (default)')
    .option('--full', 'every change')
    .action((name: string, options: ShowOptions) =>
      run(options, (context) => showSalvage(context, name, options)),
    );
}

export async function showSalvage(
  context: CommandContext,
  name: string,
  options: ShowOptions,
): Promise<Ending> {
  const row = await findSalvage(context, name);
  if (!row.ok) return row;
  const project = await requireProject(context, row.value.project);
  if (!project.ok) return project;
  const { salvage } = await context.repositories();
  const form = options.full === true ? 'full' : 'stat';
  const { ref } = row.value;
  const shown = await salvage.show({ repository: project.value.path, ref, form });
  if (!shown.ok) return shown;
  const value = { ...row.value, diff: shown.value };
  await showLong(context, { value, text: `${ref}\n${paintDiff(shown.value, form)}` }, options);
  return ENDED_WELL;
}
