import type { Command } from 'commander';
import { nameForCommand } from '../../domain/describe-need.js';
import type { TaskView } from '../../domain/task-view.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { formatStanding, nameTask } from '../format-task.js';
import { withJson, type JsonOption } from '../options.js';
import { resolveTask } from '../resolve-name.js';
import { submitForTask } from '../submit.js';

export function addTaskRespawnCommand(parent: Command, run: Run): void {
  withJson(parent.command('respawn'))
    .description(
      'end the agent of a task, if it lives, and start it again; a stuck task stays stuck',
    )
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .action((name: string | undefined, options: JsonOption) =>
      run(options, (context) => respawnTask(context, name)),
    );
}

export async function respawnTask(
  context: CommandContext,
  name: string | undefined,
): Promise<Ending> {
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  return submitForTask(
    context,
    { kind: 'task.respawn', taskId: task.value.fields.id },
    (after) => `Started ${nameTask(after)} again: ${formatStanding(after)}${formatWayBack(after)}`,
  );
}

/** A stuck task stays so whoever works in it: only a person moves it on. */
function formatWayBack({ fields }: TaskView): string {
  if (fields.status !== 'stuck') return '';
  const name = nameForCommand(fields);
  return [
    '\nIt stays stuck until you bring it back:',
    `  orange task request-changes ${name} -m TEXT`,
    `  orange task update ${name} --status working (or planning, or reviewing)`,
  ].join('\n');
}
