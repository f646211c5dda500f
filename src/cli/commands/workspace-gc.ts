import type { Command } from 'commander';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { withJson, withProject, type JsonOption } from '../options.js';
import { resolveProject } from '../resolve-name.js';
import { submit } from '../submit.js';
import { formatWorkspaces } from './workspace-list.js';

type GcOptions = JsonOption & { readonly project?: string };

export function addWorkspaceGcCommand(parent: Command, run: Run): void {
  withProject(withJson(parent.command('gc')))
    .description('drop worktrees that the pool no longer needs; nothing unsaved is touched')
    .action((options: GcOptions) => run(options, (context) => collectWorkspaces(context, options)));
}

export async function collectWorkspaces(
  context: CommandContext,
  options: GcOptions,
): Promise<Ending> {
  const project = await resolveProject(context, options.project);
  if (!project.ok) return project;
  const before = await context.snapshot();
  const outcome = await submit(context, {
    kind: 'workspace.gc',
    project: project.value?.name ?? null,
  });
  if (!outcome.ok) return outcome;
  const rows = outcome.value.workspaces;
  const left = new Set(rows.map((row) => row.workspace));
  const dropped = (before.ok ? before.value.workspaces : []).filter(
    (row) =>
      !left.has(row.workspace) && (project.value === null || row.project === project.value.name),
  );
  context.output.result(rows, () =>
    [
      dropped.length === 0
        ? 'Nothing to drop.'
        : `Dropped ${dropped.map((row) => row.workspace).join(', ')}.`,
      ...(rows.length === 0 ? [] : [formatWorkspaces(rows, context.output.columns)]),
    ].join('\n'),
  );
  return ENDED_WELL;
}
