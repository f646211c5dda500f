import type { Command } from 'commander';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { formatStanding, nameTask } from '../format-task.js';
import { withJson, type JsonOption } from '../options.js';
import { resolveTask } from '../resolve-name.js';
import { submitForTask } from '../submit.js';

type ReopenOptions = JsonOption & { readonly summary?: string };

export function addTaskReopenCommand(parent: Command, run: Run): void {
  withJson(parent.command('reopen'))
    .description('start a new, related task from the base of one that is over')
    .argument('<task>', 'id, prefix or project/branch')
    .option('--summary <text>', 'what is to be done (default: as before)')
    .action((name: string, options: ReopenOptions) =>
      run(options, (context) => reopenTask(context, name, options)),
    );
}

export async function reopenTask(
  context: CommandContext,
  name: string,
  options: ReopenOptions,
): Promise<Ending> {
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  return submitForTask(
    context,
    { kind: 'task.reopen', taskId: task.value.fields.id, summary: options.summary ?? null },
    (after) => `Created ${nameTask(after)} from it: ${formatStanding(after)}`,
  );
}
