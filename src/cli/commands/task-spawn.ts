import type { Command } from 'commander';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { formatStanding, nameTask } from '../format-task.js';
import { withJson, type JsonOption } from '../options.js';
import { resolveTask } from '../resolve-name.js';
import { submitForTask } from '../submit.js';

type SpawnOptions = JsonOption & { readonly force?: boolean };

export function addTaskSpawnCommand(parent: Command, run: Run): void {
  withJson(parent.command('spawn'))
    .description('start the agent of a pending task')
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .option('-f, --force', 'start it although it is blocked or in the backlog')
    .action((name: string | undefined, options: SpawnOptions) =>
      run(options, (context) => spawnTask(context, name, options)),
    );
}

export async function spawnTask(
  context: CommandContext,
  name: string | undefined,
  options: SpawnOptions,
): Promise<Ending> {
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  return submitForTask(
    context,
    { kind: 'task.spawn', taskId: task.value.fields.id, force: options.force === true },
    (after) =>
      after.fields.status === 'pending'
        ? `Queued ${nameTask(after)}, it starts as soon as it can: ${formatStanding(after)}`
        : `Started ${nameTask(after)}: ${formatStanding(after)}`,
  );
}
