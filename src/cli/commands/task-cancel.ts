import type { Command } from 'commander';
import { failed, success } from '../../domain/result.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { confirm } from '../confirm.js';
import { nameTask } from '../format-task.js';
import { withJson, withYes, type JsonOption } from '../options.js';
import { refuseEarly } from '../refuse-early.js';
import { resolveTask } from '../resolve-name.js';
import { submitForTask } from '../submit.js';
import { oneLine } from '../table.js';

type CancelOptions = JsonOption & { readonly yes?: boolean; readonly reason?: string };

export function addTaskCancelCommand(parent: Command, run: Run): void {
  withYes(withJson(parent.command('cancel')))
    .description(
      'give a task up; its branch stays, uncommitted work is kept under refs/orange/salvage',
    )
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .option('-r, --reason <text>', 'why')
    .action((name: string | undefined, options: CancelOptions) =>
      run(options, (context) => cancelTask(context, name, options)),
    );
}

export async function cancelTask(
  context: CommandContext,
  name: string | undefined,
  options: CancelOptions,
): Promise<Ending> {
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  const refusal = refuseEarly(context, task.value, 'cancel');
  if (refusal !== null) return failed(refusal);
  const { keptRefs } = await import('../kept-refs.js');
  const isStarted = task.value.fields.status !== 'pending';
  const agreed = await confirm(context, {
    action: `cancel ${nameTask(task.value)}`,
    isConfirmed: options.yes === true,
  });
  if (!agreed.ok) return agreed;
  if (!agreed.value) return success(1);
  return submitForTask(
    context,
    { kind: 'task.cancel', taskId: task.value.fields.id, reason: options.reason ?? null },
    (after) =>
      [
        `Cancelled ${nameTask(after)}.`,
        ...(isStarted ? [`Branch ${oneLine(after.fields.branch)} stays as it is.`] : []),
        ...(isStarted ? keptRefs(context, after).map((ref) => `Kept: ${ref}`) : []),
      ].join('\n  '),
  );
}
