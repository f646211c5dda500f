import type { Command } from 'commander';
import { failed, success } from '../../domain/result.js';
import { STATUSES } from '../../domain/status.js';
import { allowedActions } from '../../domain/task-actions.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { confirm } from '../confirm.js';
import { taskName } from '../find-task.js';
import { nameTask } from '../format-task.js';
import { withJson, withYes, type JsonOption } from '../options.js';
import { resolveTask } from '../resolve-name.js';
import { submitAndSay } from '../submit.js';

type DeleteOptions = JsonOption & { readonly yes?: boolean };

export function addTaskDeleteCommand(parent: Command, run: Run): void {
  withYes(withJson(parent.command('delete')))
    .description('remove a task that is pending or over, with its history')
    .argument('<task>', 'id, prefix or project/branch')
    .action((name: string, options: DeleteOptions) =>
      run(options, (context) => deleteTask(context, name, options)),
    );
}

const DELETABLE = STATUSES.filter((status) =>
  allowedActions(status, 'inactive').includes('delete'),
);

export async function deleteTask(
  context: CommandContext,
  name: string,
  options: DeleteOptions,
): Promise<Ending> {
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  const { id, status } = task.value.fields;
  if (!DELETABLE.includes(status)) {
    const facts = { status, allowed: DELETABLE, task: taskName(task.value) };
    return failed({ kind: 'wrong-status', action: 'delete', ...facts });
  }
  const agreed = await confirm(context, {
    action: `delete ${nameTask(task.value)} with its history`,
    isConfirmed: options.yes === true,
  });
  if (!agreed.ok) return agreed;
  if (!agreed.value) return success(1);
  return submitAndSay(
    context,
    { kind: 'task.delete', taskId: id },
    { value: { id, deleted: true }, text: `Deleted ${nameTask(task.value)}.` },
  );
}
