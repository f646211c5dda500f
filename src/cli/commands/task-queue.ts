import type { Command } from 'commander';
import { blockersOf } from '../../domain/extensions.js';
import { success, type Result } from '../../domain/result.js';
import type { TaskView } from '../../domain/task-view.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { confirm } from '../confirm.js';
import { findTask } from '../find-task.js';
import { formatStanding, nameTask } from '../format-task.js';
import { withJson, withYes, type JsonOption } from '../options.js';
import { resolveTask } from '../resolve-name.js';
import { submitForTask } from '../submit.js';

const TASK = 'id, prefix or project/branch (default: the task of this directory)';

/** `task block`, `unblock`, `hold`, `release` and `requeue`: what steers the queue. */
export function addTaskQueueCommands(parent: Command, run: Run): void {
  withJson(parent.command('block'))
    .description('make a task wait until others are done')
    .argument('<task>', 'id, prefix or project/branch')
    .argument('<blocker...>', 'the tasks to wait for')
    .action((name: string, blockers: readonly string[], options: JsonOption) =>
      run(options, (context) => blockTask(context, name, blockers)),
    );
  withJson(parent.command('unblock'))
    .description('let a task wait for others no longer; without blockers, for none')
    .argument('<task>', 'id, prefix or project/branch')
    .argument('[blocker...]', 'the tasks not to wait for')
    .action((name: string, blockers: readonly string[], options: JsonOption) =>
      run(options, (context) => unblockTask(context, name, blockers)),
    );
  withJson(parent.command('hold'))
    .description('keep a pending task from starting')
    .argument('[task]', TASK)
    .option('-m, --message <why>', 'the reason, which every list shows', 'by hand')
    .action((name: string | undefined, options: JsonOption & { readonly message: string }) =>
      run(options, (context) => holdTask(context, name, options.message)),
    );
  withJson(parent.command('release'))
    .description('let a held task start when its turn comes')
    .argument('[task]', TASK)
    .action((name: string | undefined, options: JsonOption) =>
      run(options, (context) => releaseTask(context, name)),
    );
  addRequeueCommand(parent, run);
}

type RequeueOptions = JsonOption & { readonly yes?: boolean; readonly hold?: string };

function addRequeueCommand(parent: Command, run: Run): void {
  withYes(withJson(parent.command('requeue')))
    .description('end the agent, save its work, free the worktree and wait in the queue again')
    .argument('[task]', TASK)
    .option('--hold <why>', 'and do not start again until it is released')
    .action((name: string | undefined, options: RequeueOptions) =>
      run(options, (context) => requeueTask(context, name, options)),
    );
}

export async function blockTask(
  context: CommandContext,
  name: string,
  blockers: readonly string[],
): Promise<Ending> {
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  const found = await findAll(context, blockers);
  if (!found.ok) return found;
  const ids = found.value.map(({ fields }) => fields.id);
  const { id: taskId } = task.value.fields;
  return submitForTask(context, { kind: 'task.block', taskId, blockers: ids }, standing);
}

export async function unblockTask(
  context: CommandContext,
  name: string,
  blockers: readonly string[],
): Promise<Ending> {
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  // What stands there may name no task any more; then it is taken as it stands.
  const stored = new Set(blockersOf(task.value.extensions));
  const ids: string[] = [];
  for (const blocker of blockers) {
    const found = stored.has(blocker) ? success(null) : await findAll(context, [blocker]);
    if (!found.ok) return found;
    ids.push(found.value?.[0]?.fields.id ?? blocker);
  }
  const { id: taskId } = task.value.fields;
  return submitForTask(context, { kind: 'task.unblock', taskId, blockers: ids }, standing);
}

export async function holdTask(
  context: CommandContext,
  name: string | undefined,
  reason: string,
): Promise<Ending> {
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  const { id: taskId } = task.value.fields;
  return submitForTask(context, { kind: 'task.hold', taskId, reason }, standing);
}

export async function releaseTask(
  context: CommandContext,
  name: string | undefined,
): Promise<Ending> {
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  const { id: taskId } = task.value.fields;
  return submitForTask(context, { kind: 'task.release', taskId }, standing);
}

export async function requeueTask(
  context: CommandContext,
  name: string | undefined,
  options: RequeueOptions,
): Promise<Ending> {
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  const action = `end the agent of ${nameTask(task.value)} and put the task back into the queue`;
  const agreed = await confirm(context, { action, isConfirmed: options.yes === true });
  if (!agreed.ok) return agreed;
  if (!agreed.value) return ENDED_WELL;
  const { id: taskId } = task.value.fields;
  const hold = options.hold ?? null;
  const { keptRefs } = await import('../kept-refs.js');
  const before = new Set(keptRefs(context, task.value));
  return submitForTask(context, { kind: 'task.requeue', taskId, hold }, (after) => {
    const kept = keptRefs(context, after).filter((ref) => !before.has(ref));
    return [standing(after), ...kept.map((ref) => `Kept: ${ref}`)].join('\n  ');
  });
}

function standing(task: TaskView): string {
  return `${nameTask(task)} is ${formatStanding(task)}`;
}

async function findAll(
  context: CommandContext,
  names: readonly string[],
): Promise<Result<readonly TaskView[]>> {
  const snapshot = await context.snapshot();
  if (!snapshot.ok) return snapshot;
  const found: TaskView[] = [];
  for (const name of names) {
    const task = findTask(snapshot.value.tasks, name);
    if (!task.ok) return task;
    found.push(task.value);
  }
  return success(found);
}
