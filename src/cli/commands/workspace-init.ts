import type { Command } from 'commander';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { withJson, withProject, type JsonOption } from '../options.js';
import { requireProject } from '../resolve-name.js';
import { submit } from '../submit.js';
import { formatWorkspaces } from './workspace-list.js';

type InitOptions = JsonOption & { readonly project?: string };

export function addWorkspaceInitCommand(parent: Command, run: Run): void {
  withProject(withJson(parent.command('init')))
    .description('make all worktrees of a project now')
    .action((options: InitOptions) => run(options, (context) => initWorkspaces(context, options)));
}

export async function initWorkspaces(
  context: CommandContext,
  options: InitOptions,
): Promise<Ending> {
  const project = await requireProject(context, options.project);
  if (!project.ok) return project;
  const outcome = await submit(context, { kind: 'workspace.init', project: project.value.name });
  if (!outcome.ok) return outcome;
  const rows = outcome.value.workspaces;
  context.output.result(rows, () => formatWorkspaces(rows, context.output.columns));
  return ENDED_WELL;
}
