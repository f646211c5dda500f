import type { Command } from 'commander';
import type { WorkspaceView } from '../../domain/task-view.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { withJson, withProject, type JsonOption } from '../options.js';
import { paint, type Tone } from '../paint.js';
import { resolveProject } from '../resolve-name.js';
import { formatTable, type Cell } from '../table.js';

type ListOptions = JsonOption & { readonly project?: string };

export function addWorkspaceListCommand(parent: Command, run: Run): void {
  withProject(withJson(parent.command('list')))
    .description('list the worktrees of the pool')
    .action((options: ListOptions) => run(options, (context) => listWorkspaces(context, options)));
}

export async function listWorkspaces(
  context: CommandContext,
  options: ListOptions,
): Promise<Ending> {
  const snapshot = await context.snapshot();
  if (!snapshot.ok) return snapshot;
  const project = await resolveProject(context, options.project);
  if (!project.ok) return project;
  const name = project.value?.name;
  const rows = snapshot.value.workspaces.filter(
    (row) => name === undefined || row.project === name,
  );
  context.output.result(rows, () => formatWorkspaces(rows, context.output.columns));
  return ENDED_WELL;
}

export function formatWorkspaces(rows: readonly WorkspaceView[], columns: number): string {
  if (rows.length === 0) {
    return paint(
      'dim',
      'No worktrees yet; they are made when needed, or with: orange workspace init',
    );
  }
  const cells = rows.map((row): readonly Cell[] => [
    row.workspace,
    { text: row.status, tone: TONES[row.status] },
    row.task ?? '',
    { text: row.path, tone: 'dim' },
  ]);
  return formatTable(cells, { columns, flexible: 3 });
}

const TONES: Readonly<Record<WorkspaceView['status'], Tone>> = {
  available: 'green',
  bound: 'yellow',
  quarantined: 'red',
};
