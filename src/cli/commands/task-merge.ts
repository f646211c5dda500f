import type { Command } from 'commander';
import { baseOf } from '../../domain/extensions.js';
import type { HistoryEvent } from '../../domain/history-event.js';
import { success, type Result } from '../../domain/result.js';
import { MERGE_STRATEGIES, type MergeStrategy } from '../../domain/settings.js';
import type { TaskView } from '../../domain/task-view.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { confirm } from '../confirm.js';
import { nameTask } from '../format-task.js';
import { choice, withJson, withYes, type JsonOption } from '../options.js';
import { requireProject, resolveTask } from '../resolve-name.js';
import { submitForTask } from '../submit.js';
import { oneLine } from '../table.js';

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

async function baseBranch(context: CommandContext, task: TaskView): Promise<string | null> {
  const project = await requireProject(context, task.fields.project);
  return baseOf(task.extensions) ?? (project.ok ? project.value.default_branch : null);
}

function describePlace(base: string | null, history: Result<readonly HistoryEvent[]>): string {
  const merged = history.ok ? history.value.findLast(({ type }) => type === 'task.merged') : null;
  const commit = merged?.['commit'];
  const into = base === null ? '' : ` into ${oneLine(base)}`;
  return typeof commit === 'string' ? `${into} as ${oneLine(commit).slice(0, 12)}` : into;
}

export async function mergeTask(
  context: CommandContext,
  name: string | undefined,
  options: MergeOptions,
): Promise<Ending> {
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  const { readTaskHistory } = await import('../read-task.js');
  const base = await baseBranch(context, task.value);
  const agreed = await confirm(context, {
    action: `merge ${nameTask(task.value)}${base === null ? '' : ` into ${base}`}`,
    isConfirmed: options.yes === true,
  });
  if (!agreed.ok) return agreed;
  if (!agreed.value) return success(1);
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
    (after) => `Merged ${nameTask(after)}${describePlace(base, readTaskHistory(context, after))}.`,
  );
}
