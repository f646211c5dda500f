import type { Command } from 'commander';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { findSalvage } from '../find-salvage.js';
import { withJson, type JsonOption } from '../options.js';
import { requireProject } from '../resolve-name.js';

type ShowOptions = JsonOption & { readonly stat?: boolean; readonly full?: boolean };

export function addSalvageShowCommand(parent: Command, run: Run): void {
  withJson(parent.command('show'))
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
  const shown = await salvage.show({
    repository: project.value.path,
    ref: row.value.ref,
    form: options.full === true ? 'full' : 'stat',
  });
  if (!shown.ok) return shown;
  const text = shown.value;
  context.output.result({ ...row.value, diff: text }, () => `${row.value.ref}\n${text}`);
  return ENDED_WELL;
}
