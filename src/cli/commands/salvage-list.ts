import type { Command } from 'commander';
import { success, type Result } from '../../domain/result.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { listSalvage, taskIdOf, type SalvageRow } from '../find-salvage.js';
import { formatAge } from '../format-task.js';
import { withJson, withProject, type JsonOption } from '../options.js';
import { paint } from '../paint.js';
import { resolveProject } from '../resolve-name.js';
import { count, formatTable, type Cell } from '../table.js';

type ListOptions = JsonOption & {
  readonly project?: string;
  readonly task?: string;
  readonly all?: boolean;
  readonly dropped?: boolean;
};

export function addSalvageListCommand(parent: Command, run: Run): void {
  withProject(withJson(parent.command('list')))
    .description('work that was saved before a worktree was freed')
    .option('-t, --task <task>', 'only of this task: id, prefix or project/branch')
    .option('-a, --all', 'of every project')
    .option('--dropped', 'what was dropped and is not pruned yet, too')
    .action((options: ListOptions) => run(options, (context) => showList(context, options)));
}

export async function showList(context: CommandContext, options: ListOptions): Promise<Ending> {
  const project = await projectOf(context, options);
  if (!project.ok) return project;
  const rows = await listSalvage(context, project.value);
  if (!rows.ok) return rows;
  const taskId = await taskIdOf(context, rows.value, options.task);
  if (!taskId.ok) return taskId;
  const own = rows.value.filter((row) => taskId.value === null || row.task_id === taskId.value);
  const shown = own.filter((row) => options.dropped === true || row.dropped_at === null);
  const screen = { columns: context.output.columns, nowMs: context.nowMs() };
  context.output.result(shown, () => formatSalvage(shown, screen));
  if (shown.length === 0 && own.length > 0) {
    context.output.note(`${count(own.length, 'dropped piece')} can be seen with --dropped.`);
  }
  return ENDED_WELL;
}

/** The project that is meant; null for all of them. */
async function projectOf(
  context: CommandContext,
  { all, task, project: name }: ListOptions,
): Promise<Result<string | null>> {
  if (name === undefined && (all === true || task !== undefined)) return success(null);
  const project = await resolveProject(context, name);
  return project.ok ? success(project.value?.name ?? null) : project;
}

export function formatSalvage(
  rows: readonly SalvageRow[],
  { columns, nowMs }: { readonly columns: number; readonly nowMs: number },
): string {
  if (rows.length === 0) return paint('dim', 'There is no saved work.');
  const cells = rows.map((row): readonly Cell[] => [
    `${row.task_id}/${row.number}`,
    row.saved_at === null ? '–' : formatAge(row.saved_at, nowMs),
    row.kind === 'work' ? 'work' : 'commit',
    { text: row.dropped_at === null ? '' : 'dropped', tone: 'dim' },
    row.task ?? `${row.project} (no task)`,
  ]);
  return formatTable(cells, { columns, flexible: 4 });
}
