import type { Command } from 'commander';
import { readSetupState } from '../../adapters/git/worktree-memory.js';
import type { ProjectView, WorkspaceView } from '../../domain/task-view.js';
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
  const seen = rows.map((row) => ({ ...row, setup: readSetupState(context.files, row.path) }));
  context.output.result(seen, () =>
    [
      formatWorkspaces(seen, context.output.columns),
      ...snapshot.value.projects.flatMap((each) => summarise(each, rows)),
    ].join('\n'),
  );
  return ENDED_WELL;
}

function summarise(
  { name, pool_size: size }: ProjectView,
  rows: readonly WorkspaceView[],
): readonly string[] {
  const own = rows.filter((row) => row.project === name);
  if (own.length === 0) return [];
  const used = own.filter((row) => row.status === 'bound').length;
  const made =
    own.length > size
      ? `${own.length} made, ${size} wanted (orange workspace gc drops the rest)`
      : `${own.length} of ${size} made`;
  return [paint('dim', `${name}: ${made}, ${used} in use`)];
}

type Row = WorkspaceView & { readonly setup?: 'ready' | 'before' | null };

export function formatWorkspaces(rows: readonly Row[], columns: number): string {
  if (rows.length === 0) {
    return paint(
      'dim',
      'No worktrees yet; they are made when needed, or with: orange workspace init',
    );
  }
  const cells = rows.map((row): readonly Cell[] => [
    row.workspace,
    { text: row.status, tone: TONES[row.status] },
    row.task ?? row.set_aside?.reason ?? '',
    { text: SETUP[row.setup ?? 'none'], tone: 'dim' },
    { text: row.path, tone: 'dim' },
  ]);
  return formatTable(cells, { columns, flexible: 4 });
}

const SETUP = { ready: 'set up', before: 'set up before', none: '' } as const;

const TONES: Readonly<Record<WorkspaceView['status'], Tone>> = {
  available: 'green',
  bound: 'yellow',
  quarantined: 'red',
};
