import type { Command } from 'commander';
import type { UpdateTask } from '../../domain/request.js';
import { failed, success, type Result } from '../../domain/result.js';
import { STATUSES, type Status } from '../../domain/status.js';
import type { TaskView } from '../../domain/task-view.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { extensionEdits, withExtensions, type ExtensionOptions } from '../extension-options.js';
import { isInside, taskName } from '../find-task.js';
import { nameTask } from '../format-task.js';
import { choice, withJson, type JsonOption } from '../options.js';
import { resolveTask } from '../resolve-name.js';
import { submitForTask } from '../submit.js';

type UpdateOptions = JsonOption &
  ExtensionOptions & {
    readonly status?: Status;
    readonly summary?: string;
    readonly branch?: string | true;
    readonly harness?: string;
    readonly reviewHarness?: string;
    readonly hold?: string;
  };

export function addTaskUpdateCommand(parent: Command, run: Run): void {
  const command = withJson(parent.command('update'))
    .description('ask for another status, or change what a task says; "" takes a value away')
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .addOption(choice('-s, --status <status>', 'status to move to', STATUSES))
    .option('--summary <text>', 'what is to be done, in one line')
    .option(
      '--branch [name]',
      "rename the branch; without a name: what is checked out in the task's worktree",
    )
    .option('--harness <name>', 'agent that works')
    .option('--review-harness <name>', 'agent that reviews')
    .option('--hold <reason>', 'keep it from starting; "" lets it go');
  withExtensions(command).action((name: string | undefined, options: UpdateOptions) =>
    run(options, (context) => updateTask(context, name, options)),
  );
}

export async function updateTask(
  context: CommandContext,
  name: string | undefined,
  options: UpdateOptions,
): Promise<Ending> {
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  const changes = await readChanges(context, task.value, options);
  if (!changes.ok) return changes;
  if (Object.keys(changes.value).length === 0) return failed(NOTHING_GIVEN);
  return submitForTask(
    context,
    { kind: 'task.update', taskId: task.value.fields.id, ...changes.value },
    (after) => describeUpdate(task.value, after),
  );
}

type Changes = Omit<UpdateTask, 'kind' | 'taskId'>;

const NOTHING_GIVEN = {
  kind: 'invalid-argument',
  argument: 'update',
  value: '',
  rule: 'at least one thing to change must be given',
  remedy: 'See what can be changed with: orange task update --help',
} as const;

async function readChanges(
  context: CommandContext,
  task: TaskView,
  options: UpdateOptions,
): Promise<Result<Changes>> {
  const branch =
    options.branch === true ? await branchHere(context, task) : success(options.branch);
  if (!branch.ok) return branch;
  const shared = await extensionEdits(context, options);
  if (!shared.ok) return shared;
  const extensions = {
    ...shared.value,
    ...(options.hold === undefined ? {} : { hold: options.hold === '' ? null : options.hold }),
  };
  return success({
    ...(options.status === undefined ? {} : { status: options.status }),
    ...(options.summary === undefined ? {} : { summary: options.summary }),
    ...(branch.value === undefined ? {} : { branch: branch.value }),
    ...(options.harness === undefined ? {} : { harness: options.harness }),
    ...(options.reviewHarness === undefined ? {} : { reviewHarness: options.reviewHarness }),
    ...(Object.keys(extensions).length === 0 ? {} : { extensions }),
  });
}

/** The branch in the task's own worktree; any other checkout has nothing to do with the task. */
async function branchHere(context: CommandContext, task: TaskView): Promise<Result<string>> {
  const { workspace } = task.fields;
  if (workspace === null || !isInside(context.cwd, context.paths.workspace(workspace))) {
    return failed(nameNeeded(`this directory is not in the worktree of ${taskName(task)}`));
  }
  const repositories = await context.repositories();
  const worktrees = await repositories.listWorktrees(context.cwd);
  if (!worktrees.ok) return worktrees;
  const here = worktrees.value
    .filter((worktree) => isInside(context.cwd, worktree.path))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
  if (here !== undefined && here.branch !== null) return success(here.branch);
  return failed(nameNeeded('no branch is checked out in this directory'));
}

function nameNeeded(rule: string) {
  return {
    kind: 'invalid-argument',
    argument: '--branch',
    value: '',
    rule,
    remedy: 'Give the name: --branch NAME',
  } as const;
}

function describeUpdate(before: TaskView, after: TaskView): string {
  return before.fields.status === after.fields.status
    ? `Updated ${nameTask(after)}.`
    : `${nameTask(after)} is now ${after.fields.status}.`;
}
