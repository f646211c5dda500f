import type { Command } from 'commander';
import { failed, success } from '../../domain/result.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { confirm } from '../confirm.js';
import { nameTask } from '../format-task.js';
import { withJson, withYes, type JsonOption } from '../options.js';
import { refuseEarly } from '../refuse-early.js';
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

export async function deleteTask(
  context: CommandContext,
  name: string,
  options: DeleteOptions,
): Promise<Ending> {
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  const { id } = task.value.fields;
  const refusal = refuseEarly(context, task.value, 'delete');
  if (refusal !== null) return failed(refusal);
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
