import type { Command } from 'commander';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { confirm } from '../confirm.js';
import { findSalvage } from '../find-salvage.js';
import { withJson, withYes, type JsonOption } from '../options.js';
import { submit } from '../submit.js';

type DropOptions = JsonOption & { readonly yes?: boolean };

export function addSalvageDropCommand(parent: Command, run: Run): void {
  withYes(withJson(parent.command('drop')))
    .description('saved work that is not needed any more; it goes for good when it is pruned')
    .argument('<ref>', 'salvage ref, or TASK/N')
    .action((name: string, options: DropOptions) =>
      run(options, (context) => dropSalvage(context, name, options)),
    );
}

export async function dropSalvage(
  context: CommandContext,
  name: string,
  options: DropOptions,
): Promise<Ending> {
  const row = await findSalvage(context, name);
  if (!row.ok) return row;
  const { project, ref } = row.value;
  const action = `drop ${ref}`;
  const agreed = await confirm(context, { action, isConfirmed: options.yes === true });
  if (!agreed.ok) return agreed;
  if (!agreed.value) return ENDED_WELL;
  const outcome = await submit(context, { kind: 'salvage.drop', project, ref });
  if (!outcome.ok) return outcome;
  const dropped = outcome.value.salvage?.entries[0] ?? null;
  context.output.result(dropped, () =>
    dropped === null ? '' : `Dropped. Until it is pruned: orange salvage restore ${dropped.ref}`,
  );
  return ENDED_WELL;
}
