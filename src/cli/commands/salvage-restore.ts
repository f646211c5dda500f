import { resolve } from 'node:path';
import type { Command } from 'commander';
import { InternalError } from '../../domain/failure.js';
import type { Restored } from '../../domain/salvage.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { findSalvage } from '../find-salvage.js';
import { withJson, type JsonOption } from '../options.js';
import { submit } from '../submit.js';

type RestoreOptions = JsonOption & { readonly into?: string; readonly branch?: string };

export function addSalvageRestoreCommand(parent: Command, run: Run): void {
  withJson(parent.command('restore'))
    .description(
      "bring saved work back as it was: in the task's worktree if it has one, else in a new one",
    )
    .argument('<ref>', 'salvage ref, TASK/N, or a task, of which the latest counts')
    .option('--into <path>', 'a new worktree at this path')
    .option(
      '--branch <name>',
      'a new branch with one commit of everything; with --into, its branch',
    )
    .action((name: string, options: RestoreOptions) =>
      run(options, (context) => restoreSalvage(context, name, options)),
    );
}

export async function restoreSalvage(
  context: CommandContext,
  name: string,
  options: RestoreOptions,
): Promise<Ending> {
  const row = await findSalvage(context, name);
  if (!row.ok) return row;
  const outcome = await submit(context, {
    kind: 'salvage.restore',
    project: row.value.project,
    ref: row.value.ref,
    into: options.into === undefined ? null : resolve(context.cwd, options.into),
    branch: options.branch ?? null,
  });
  if (!outcome.ok) return outcome;
  const restored = outcome.value.salvage?.restored ?? null;
  if (restored === null) throw new InternalError('the daemon answered without the place');
  context.output.result(restored, () => describeRestored(restored));
  return ENDED_WELL;
}

function describeRestored({ ref, path, branch }: Restored): string {
  if (path === null) return `${ref} is now the last commit of branch ${branch ?? ''}.`;
  const on = branch === null ? 'on no branch' : `on branch ${branch}`;
  return `${ref} is restored in ${path}, ${on}. The saved work stays until it is dropped.`;
}
