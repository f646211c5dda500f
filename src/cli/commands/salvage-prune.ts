import type { Command } from 'commander';
import { success } from '../../domain/result.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { confirm } from '../confirm.js';
import { parseWhole, withJson, withProject, withYes, type JsonOption } from '../options.js';
import { requireProject } from '../resolve-name.js';
import { submit } from '../submit.js';
import { count } from '../table.js';

type PruneOptions = JsonOption & {
  readonly olderThan?: number;
  readonly project?: string;
  readonly yes?: boolean;
};

export function addSalvagePruneCommand(parent: Command, run: Run): void {
  withProject(withYes(withJson(parent.command('prune'))))
    .description('remove for good what was dropped, or belongs to merged tasks, and is old')
    .option(
      '--older-than <days>',
      'how old (default: salvage.keep_days in config.yaml)',
      parseWhole({ min: 0, max: 36_500 }),
    )
    .action((options: PruneOptions) => run(options, (context) => pruneSalvage(context, options)));
}

export async function pruneSalvage(
  context: CommandContext,
  options: PruneOptions,
): Promise<Ending> {
  const project =
    options.project === undefined ? success(null) : await requireProject(context, options.project);
  if (!project.ok) return project;
  const { olderThan } = options;
  // What is as old as the settings say goes every day without anybody's word.
  if (olderThan !== undefined) {
    const action = `remove for good what is over and ${count(olderThan, 'day')} old or older`;
    const agreed = await confirm(context, { action, isConfirmed: options.yes === true });
    if (!agreed.ok) return agreed;
    if (!agreed.value) return ENDED_WELL;
  }
  const outcome = await submit(context, {
    kind: 'salvage.prune',
    project: project.value?.name ?? null,
    days: olderThan ?? null,
  });
  if (!outcome.ok) return outcome;
  const removed = outcome.value.salvage?.entries ?? [];
  context.output.result(removed, () =>
    [`Removed ${count(removed.length, 'saved piece')}.`, ...removed.map(({ ref }) => ref)].join(
      '\n',
    ),
  );
  return ENDED_WELL;
}
