import type { Command } from 'commander';
import { success, type Result } from '../../domain/result.js';
import { isTerminal, STATUSES, type Status } from '../../domain/status.js';
import { toTaskJson, type Snapshot, type TaskView } from '../../domain/task-view.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { formatTaskList } from '../format-task.js';
import { collectStatuses, withJson, withProject, type JsonOption } from '../options.js';
import { resolveProject } from '../resolve-name.js';

type ListOptions = JsonOption & {
  readonly status?: readonly Status[];
  readonly all?: boolean;
  readonly project?: string;
};

/** `orange task list`, and the same under its short name `orange ls`. */
export function addTaskListCommand(parent: Command, run: Run, name: 'list' | 'ls' = 'list'): void {
  withProject(withJson(parent.command(name)))
    .description("list this project's open tasks")
    .option(
      '-s, --status <status>',
      `only these; may be repeated (${STATUSES.join(', ')})`,
      collectStatuses,
    )
    .option('-a, --all', 'every project, and tasks that are over')
    .action((options: ListOptions) => run(options, (context) => listTasks(context, options)));
}

export async function listTasks(context: CommandContext, options: ListOptions): Promise<Ending> {
  const snapshot = await context.snapshot();
  if (!snapshot.ok) return snapshot;
  const tasks = await select(context, snapshot.value, options);
  if (!tasks.ok) return tasks;
  const screen = { columns: context.output.columns, nowMs: context.nowMs() };
  context.output.result(tasks.value.map(toTaskJson), () => formatTaskList(tasks.value, screen));
  const problems = snapshot.value.problems.length;
  if (problems > 0) {
    context.output.note(
      `${problems} ${problems === 1 ? 'file needs' : 'files need'} attention: orange validate`,
    );
  }
  return ENDED_WELL;
}

async function select(
  context: CommandContext,
  snapshot: Snapshot,
  options: ListOptions,
): Promise<Result<readonly TaskView[]>> {
  const isEverywhere = options.all === true && options.project === undefined;
  const project = isEverywhere ? success(null) : await resolveProject(context, options.project);
  if (!project.ok) return project;
  const { status } = options;
  const isWanted = (task: TaskView): boolean => {
    if (status !== undefined) return status.includes(task.fields.status);
    return options.all === true || !isTerminal(task.fields.status);
  };
  const name = project.value?.name;
  return success(
    snapshot.tasks
      .filter((task) => (name === undefined || task.fields.project === name) && isWanted(task))
      .toSorted(byAge),
  );
}

function byAge(a: TaskView, b: TaskView): number {
  return (
    a.fields.project.localeCompare(b.fields.project) ||
    a.fields.created_at.localeCompare(b.fields.created_at) ||
    a.fields.id.localeCompare(b.fields.id)
  );
}
