import type { Command } from 'commander';
import { CATEGORIES, PRIORITIES, QUEUES } from '../../domain/extensions.js';
import { success } from '../../domain/result.js';
import { STATUSES, type Status } from '../../domain/status.js';
import { relateTasks } from '../../domain/task-relations.js';
import { toTaskJson, type Snapshot } from '../../domain/task-view.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { formatTaskList, nameBlockers } from '../format-task.js';
import {
  collectFrom,
  collectList,
  collectStatuses,
  withJson,
  withProject,
  type JsonOption,
} from '../options.js';
import { paint } from '../paint.js';
import { areProjectsInDoubt } from '../projects-in-doubt.js';
import { repositoryAround, resolveProject } from '../resolve-name.js';
import { selectTasks, type TaskFilter } from '../select-tasks.js';
import { count } from '../table.js';
import { tellUnsupervised } from '../tell-unsupervised.js';

type ListOptions = JsonOption & {
  readonly status?: readonly Status[];
  readonly all?: boolean;
  readonly project?: string;
} & TaskFilter;

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
    .option('-q, --queue <queue>', 'only active, or only backlog', collectFrom(QUEUES))
    .option('-P, --priority <level>', 'only these; may be repeated', collectFrom(PRIORITIES))
    .option('-c, --category <kind>', 'only these; may be repeated', collectFrom(CATEGORIES))
    .option('-t, --tag <tag>', 'only with one of these; may be repeated', collectList)
    .action((options: ListOptions) => run(options, (context) => listTasks(context, options)));
}

export async function listTasks(context: CommandContext, options: ListOptions): Promise<Ending> {
  const snapshot = await context.snapshot();
  if (!snapshot.ok) return snapshot;
  const isEverywhere = options.all === true && options.project === undefined;
  const project = isEverywhere ? success(null) : await resolveProject(context, options.project);
  if (!project.ok) return project;
  const name = project.value?.name ?? null;
  const status = options.status ?? null;
  const selection = { project: name, status, isAll: options.all === true, filter: options };
  const tasks = selectTasks(snapshot.value, selection);
  const screen = { columns: context.output.columns, nowMs: context.nowMs() };
  const relations = relateTasks(snapshot.value.tasks);
  const rows = tasks.map((task) => toTaskJson(task, relations(task.fields.id)));
  context.output.result(rows, () =>
    tasks.length === 0
      ? describeNone(name, options)
      : formatTaskList(
          tasks.map((task) => nameBlockers(task, snapshot.value.tasks)),
          screen,
        ),
  );
  const isKnown = !areProjectsInDoubt(context, snapshot.value);
  if (name === null && !isEverywhere && isKnown) await tellUnregistered(context);
  tellProblems(context, snapshot.value);
  await tellUnsupervised(context, snapshot.value);
  return ENDED_WELL;
}

function describeNone(project: string | null, options: ListOptions): string {
  const { status, all } = options;
  const kind = status?.join(' or ') ?? (all === true ? '' : 'open');
  const isFiltered = [options.queue, options.priority, options.category, options.tag].some(Boolean);
  const where = `${project === null ? '' : ` in ${project}`}${isFiltered ? ' like that' : ''}`;
  const what = `No ${kind === '' ? '' : `${kind} `}tasks${where}.`;
  const isPlain = status === undefined && !isFiltered;
  return paint('dim', isPlain ? `${what} Make one with: orange task create` : what);
}

// Whoever stands in a repository expects its tasks, and should know why there are others.
async function tellUnregistered(context: CommandContext): Promise<void> {
  if (context.output.form === 'json') return;
  const root = await repositoryAround(context);
  if (root === null) return;
  context.output.note(
    `${root} is not registered (orange project add), so this is every project's list.`,
  );
}

function tellProblems(context: CommandContext, snapshot: Snapshot): void {
  const found = [...snapshot.problems, ...snapshot.tasks.flatMap((task) => task.problems)];
  const files = new Set(found.map(({ file }) => file));
  if (files.size === 0) return;
  const isTaskFile = [...files].some((file) => file.endsWith('TASK.md'));
  const where = isTaskFile ? 'orange validate' : 'orange doctor';
  const need = files.size === 1 ? 'needs' : 'need';
  context.output.note(`${count(files.size, 'file')} ${need} attention: ${where}`);
}
