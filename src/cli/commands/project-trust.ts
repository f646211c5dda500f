import type { Command } from 'commander';
import { failed } from '../../domain/result.js';
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

const NOTHING_TO_TRUST = 'There is nothing to trust; the project uses only your own settings.';

export async function trustProject(
  context: CommandContext,
  name: string | undefined,
): Promise<Ending> {
  const project = await requireProject(context, name);
  if (!project.ok) return project;
  const trusted = await submitForProject(
    context,
    { kind: 'project.trust', name: project.value.name },
    (after) => `Trusted orange.yaml of ${after.name} as it is now.`,
  );
  const isFileMissing = !trusted.ok && trusted.failure.kind === 'not-found';
  return isFileMissing ? failed({ ...trusted.failure, remedy: NOTHING_TO_TRUST }) : trusted;
}
