import type { Command } from 'commander';
import { failed, success } from '../../domain/result.js';
import { MERGE_STRATEGIES, type MergeStrategy } from '../../domain/settings.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { choice, withJson, withYes, type JsonOption } from '../options.js';
import { refuseEarly } from '../refuse-early.js';
import { resolveTask } from '../resolve-name.js';
import { submitForTask } from '../submit.js';

type MergeOptions = JsonOption & {
  readonly yes?: boolean;
  readonly strategy?: MergeStrategy;
  readonly push?: boolean;
  readonly message?: string;
  readonly anyway?: boolean;
  readonly local?: boolean;
};

export function addTaskMergeCommand(parent: Command, run: Run): void {
  withYes(withJson(parent.command('merge')))
    .description('merge the work of a task that is in reviewing, and finish it')
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .addOption(
      choice('--strategy <way>', 'how (default: squash, or the setting)', MERGE_STRATEGIES),
    )
    .option('--push', 'push the base branch afterwards')
    .option('--no-push', 'do not push, whatever the setting says')
    .option('-m, --message <text>', 'commit message')
    .option('--anyway', 'also when the branch has moved since its work was judged')
    .option('--local', 'also when the task has an open pull request')
    .action((name: string | undefined, options: MergeOptions) =>
      run(options, (context) => mergeTask(context, name, options)),
    );
}

export async function mergeTask(
  context: CommandContext,
  name: string | undefined,
  options: MergeOptions,
): Promise<Ending> {
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  const refusal = refuseEarly(context, task.value, 'merge');
  if (refusal !== null) return failed(refusal);
  const { confirmMerge, describeMerged } = await import('../confirm-merge.js');
  const agreed = await confirmMerge(context, task.value, options.yes === true);
  if (!agreed.ok) return agreed;
  const { value: merge } = agreed;
  if (merge === null) return success(1);
  return submitForTask(
    context,
    {
      kind: 'task.merge',
      taskId: task.value.fields.id,
      strategy: options.strategy ?? null,
      push: options.push ?? null,
      message: options.message ?? null,
      ...(options.anyway === true ? { anyway: true } : {}),
      ...(options.local === true ? { local: true } : {}),
    },
    (after) => `${describeMerged(context, after, merge).replace(/^m/, 'M')}.`,
  );
}
