import { resolve } from 'node:path';
import type { Command } from 'commander';
import { InternalError, type Failure } from '../../domain/failure.js';
import type { ProjectRequest } from '../../domain/request.js';
import { failed } from '../../domain/result.js';
import type { ProjectView } from '../../domain/task-view.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { parseWhole, withJson, type JsonOption } from '../options.js';
import { submit } from '../submit.js';

type AddOptions = JsonOption & {
  readonly name?: string;
  readonly defaultBranch?: string;
  readonly poolSize?: number;
};

export const POOL_LIMITS = { min: 1, max: 1000 };

export function addProjectAddCommand(parent: Command, run: Run): void {
  withJson(parent.command('add'))
    .description('register a git repository')
    .argument('[path]', 'where it is', '.')
    .option('--name <name>', "name (default: the directory's)")
    .option('--default-branch <branch>', 'branch to start from and merge into')
    .option('--pool-size <n>', 'how many worktrees at most', parseWhole(POOL_LIMITS))
    .action((path: string, options: AddOptions) =>
      run(options, (context) => addProject(context, path, options)),
    );
}

export async function addProject(
  context: CommandContext,
  path: string,
  options: AddOptions,
): Promise<Ending> {
  return submitForProject(
    context,
    {
      kind: 'project.add',
      path: resolve(context.cwd, path),
      name: options.name ?? null,
      defaultBranch: options.defaultBranch ?? null,
      poolSize: options.poolSize ?? null,
    },
    (project) => `Registered ${describeProject(project)}`,
  );
}

/** Sends a wish about a project and prints the project that comes of it. */
export async function submitForProject(
  context: CommandContext,
  request: ProjectRequest,
  human: (project: ProjectView) => string,
): Promise<Ending> {
  const outcome = await submit(context, request);
  if (!outcome.ok) return failed(lookAt(context, outcome.failure));
  const { project } = outcome.value;
  if (project === null) throw new InternalError('the daemon answered without the project');
  context.output.result(project, () => human(project));
  return ENDED_WELL;
}

/** What is no repository may not even be a directory. */
function lookAt({ files }: CommandContext, failure: Failure): Failure {
  if (failure.kind !== 'not-a-repository') return failure;
  const state = files.stat(failure.path);
  if (!state.ok) return failure;
  if (state.value.kind === 'absent') return { ...failure, found: 'nothing' };
  return state.value.kind === 'file' ? { ...failure, found: 'file' } : failure;
}

export function describeProject(project: ProjectView): string {
  const { name, path, default_branch: branch, pool_size: size } = project;
  return `${name}: ${path}, branch ${branch}, ${size} worktree${size === 1 ? '' : 's'}.`;
}
