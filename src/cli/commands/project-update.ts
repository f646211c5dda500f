import { resolve } from 'node:path';
import type { Command } from 'commander';
import { failed } from '../../domain/result.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { parseWhole, withJson, type JsonOption } from '../options.js';
import { requireProject } from '../resolve-name.js';
import { describeProject, POOL_LIMITS, submitForProject } from './project-add.js';

type UpdateOptions = JsonOption & {
  readonly path?: string;
  readonly defaultBranch?: string;
  readonly poolSize?: number;
};

export function addProjectUpdateCommand(parent: Command, run: Run): void {
  withJson(parent.command('update'))
    .description('change what is known of a project, or where it is')
    .argument('[name]', 'project (default: the one of this directory)')
    .option('--path <path>', 'where the repository is now')
    .option('--default-branch <branch>', 'branch to start from and merge into')
    .option('--pool-size <n>', 'how many worktrees at most', parseWhole(POOL_LIMITS))
    .action((name: string | undefined, options: UpdateOptions) =>
      run(options, (context) => updateProject(context, name, options)),
    );
}

export async function updateProject(
  context: CommandContext,
  name: string | undefined,
  options: UpdateOptions,
): Promise<Ending> {
  const changes = {
    path: options.path === undefined ? null : resolve(context.cwd, options.path),
    defaultBranch: options.defaultBranch ?? null,
    poolSize: options.poolSize ?? null,
  };
  const project = await requireProject(context, name);
  if (!project.ok) return project;
  if (Object.values(changes).every((value) => value === null)) return failed(NOTHING_GIVEN);
  return submitForProject(
    context,
    { kind: 'project.update', name: project.value.name, ...changes },
    (after) => `Updated ${describeProject(after)}`,
  );
}

const NOTHING_GIVEN = {
  kind: 'invalid-argument',
  argument: 'update',
  value: '',
  rule: 'at least one of --path, --default-branch and --pool-size must be given',
} as const;
