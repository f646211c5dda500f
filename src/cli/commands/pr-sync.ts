import type { Command } from 'commander';
import { InternalError, type Failure } from '../../domain/failure.js';
import { failed, success, type Result } from '../../domain/result.js';
import { isTerminal } from '../../domain/status.js';
import { toTaskJson, type TaskView } from '../../domain/task-view.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { taskName } from '../find-task.js';
import { describePullRequest, nameTask } from '../format-task.js';
import { withJson, type JsonOption } from '../options.js';
import { resolveTask } from '../resolve-name.js';
import { submit } from '../submit.js';

type SyncOptions = JsonOption & { readonly all?: boolean };

export function addPrSyncCommand(parent: Command, run: Run): void {
  withJson(parent.command('sync'))
    .description('ask GitHub how a pull request is; a merged one finishes its task')
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .option('-a, --all', 'every task with a pull request that is not over')
    .action((name: string | undefined, options: SyncOptions) =>
      run(options, (context) => syncPullRequests(context, name, options)),
    );
}

export async function syncPullRequests(
  context: CommandContext,
  name: string | undefined,
  options: SyncOptions,
): Promise<Ending> {
  if (options.all === true && name !== undefined) return failed(BOTH);
  const chosen = options.all === true ? await findAll(context) : await findOne(context, name);
  if (!chosen.ok) return chosen;
  // All at once, so that the daemon asks GitHub once for each repository.
  const answers = await Promise.all(chosen.value.map((task) => syncOne(context, task)));
  const after: TaskView[] = [];
  for (const synced of answers) {
    if (!synced.ok) return synced;
    after.push(synced.value);
  }
  const rows = after.map((task) => toTaskJson(task));
  context.output.result(options.all === true ? rows : rows[0], () =>
    after.length === 0 ? 'No task has a pull request.' : after.map(describeTask).join('\n'),
  );
  return ENDED_WELL;
}

async function syncOne(context: CommandContext, { fields }: TaskView): Promise<Result<TaskView>> {
  const synced = await submit(context, { kind: 'task.pr-sync', taskId: fields.id });
  if (!synced.ok) return synced;
  const { task } = synced.value;
  if (task === null) throw new InternalError('the daemon answered without the task');
  return success(task);
}

const BOTH: Failure = {
  kind: 'invalid-argument',
  argument: '--all',
  value: '',
  rule: 'name a task or say --all, not both',
};

async function findOne(
  context: CommandContext,
  name: string | undefined,
): Promise<Result<readonly TaskView[]>> {
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  if (task.value.fields.pr_url !== null) return success([task.value]);
  return failed({ kind: 'pr-missing', task: taskName(task.value) });
}

async function findAll(context: CommandContext): Promise<Result<readonly TaskView[]>> {
  const snapshot = await context.snapshot();
  if (!snapshot.ok) return snapshot;
  return success(snapshot.value.tasks.filter(isLive));
}

function isLive({ fields }: TaskView): boolean {
  return fields.pr_url !== null && !isTerminal(fields.status);
}

function describeTask(task: TaskView): string {
  const { status } = task.fields;
  return `${nameTask(task)} is ${status}; pull request: ${describePullRequest(task)}`;
}
