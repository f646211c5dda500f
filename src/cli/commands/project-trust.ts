import type { Command } from 'commander';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { withJson, type JsonOption } from '../options.js';
import { requireProject } from '../resolve-name.js';
import { submitForProject } from './project-add.js';

export function addProjectTrustCommand(parent: Command, run: Run): void {
  withJson(parent.command('trust'))
    .description("allow the commands in the project's orange.yaml, as it is now")
    .argument('[name]', 'project (default: the one of this directory)')
    .action((name: string | undefined, options: JsonOption) =>
      run(options, (context) => trustProject(context, name)),
    );
}

export async function trustProject(
  context: CommandContext,
  name: string | undefined,
): Promise<Ending> {
  const project = await requireProject(context, name);
  if (!project.ok) return project;
  return submitForProject(context, { kind: 'project.trust', name: project.value.name }, (after) =>
    after.trusted === 'none-needed'
      ? `${after.name} has no orange.yaml; there is nothing to trust.`
      : `Trusted orange.yaml of ${after.name} as it is now.`,
  );
}
