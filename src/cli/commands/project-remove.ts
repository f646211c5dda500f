import type { Command } from 'commander';
import { success } from '../../domain/result.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { confirm } from '../confirm.js';
import { withJson, withYes, type JsonOption } from '../options.js';
import { requireProject } from '../resolve-name.js';
import { submitAndSay } from '../submit.js';

type RemoveOptions = JsonOption & { readonly yes?: boolean };

export function addProjectRemoveCommand(parent: Command, run: Run): void {
  withYes(withJson(parent.command('remove')))
    .description('forget a project and its idle worktrees; the repository stays as it is')
    .argument('<name>', 'project')
    .action((name: string, options: RemoveOptions) =>
      run(options, (context) => removeProject(context, name, options)),
    );
}

export async function removeProject(
  context: CommandContext,
  name: string,
  options: RemoveOptions,
): Promise<Ending> {
  const project = await requireProject(context, name);
  if (!project.ok) return project;
  const agreed = await confirm(context, {
    action: `remove project ${name} (${project.value.path})`,
    isConfirmed: options.yes === true,
  });
  if (!agreed.ok) return agreed;
  if (!agreed.value) return success(1);
  return submitAndSay(
    context,
    { kind: 'project.remove', name },
    { value: { name, removed: true }, text: `Removed project ${name}.` },
  );
}
