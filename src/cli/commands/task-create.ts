import { describeMissingReviewer } from '../../domain/describe-missing-reviewer.js';
import { nameForCommand } from '../../domain/describe-need.js';
import { NOT_SPAWNED } from '../../domain/extensions.js';
import { type Command } from 'commander';
import type { Failure } from '../../domain/failure.js';
import type { CreateTask } from '../../domain/request.js';
import { failed, success, type Result } from '../../domain/result.js';
import type { TaskView } from '../../domain/task-view.js';
import { type CommandContext, type Ending, type Run } from '../command-context.js';
import {
  extensionEdits,
  withExtensions,
  withoutRemovals,
  type ExtensionOptions,
} from '../extension-options.js';
import { formatStanding, nameTask } from '../format-task.js';
import { choice, withJson, withProject, type JsonOption } from '../options.js';
import { readText } from '../read-text.js';
import { resolveProject } from '../resolve-name.js';
import { submit, submitForTask } from '../submit.js';
import { oneLine } from '../table.js';

type CreateOptions = JsonOption &
  ExtensionOptions & {
    readonly project?: string;
    readonly harness?: string;
    readonly reviewHarness?: string;
    readonly context?: string;
    readonly spawn: boolean;
    readonly status: CreateTask['status'];
  };

export function addTaskCreateCommand(parent: Command, run: Run): void {
  const command = withProject(withJson(parent.command('create')))
    .description('make a task; it starts as soon as it can')
    .argument('[branch]', 'branch to work on (default: orange-tasks/<id>)')
    .argument('[summary]', 'what is to be done, in one line')
    .option('--harness <name>', 'agent that works (default: the first one installed)')
    .option('--review-harness <name>', 'agent that reviews (default: claude)')
    .option('-c, --context <text>', 'requirements; - reads them from standard input')
    .option('--no-spawn', 'keep it back until: orange task spawn')
    .addOption(
      choice('--status <status>', 'status to begin with', [
        'pending',
        'clarification',
        'agent-review',
        'reviewing',
      ]).default('pending'),
    );
  withExtensions(command).action(
    (branch: string | undefined, summary: string | undefined, options: CreateOptions) =>
      run(options, (context) => createTask(context, { branch, summary }, options)),
  );
}

export async function createTask(
  context: CommandContext,
  words: { readonly branch: string | undefined; readonly summary: string | undefined },
  options: CreateOptions,
): Promise<Ending> {
  if (words.branch === '') return failed(EMPTY_BRANCH);
  const text =
    options.context === undefined
      ? success(null)
      : await readText(context, '--context', options.context);
  if (!text.ok) return text;
  const extensions = await extensionEdits(context, options);
  if (!extensions.ok) return extensions;
  const project = await projectToUse(context, options.project);
  if (!project.ok) return project;
  return submitForTask(
    context,
    {
      kind: 'task.create',
      project: project.value,
      branch: words.branch ?? null,
      summary: words.summary ?? '',
      harness: options.harness ?? null,
      reviewHarness: options.reviewHarness ?? null,
      context: text.value,
      status: options.status,
      extensions: {
        ...withoutRemovals(extensions.value),
        ...(options.spawn ? {} : { hold: NOT_SPAWNED }),
      },
    },
    describeCreated,
  );
}

function describeCreated(task: TaskView): string {
  const created = `Created ${nameTask(task)}: ${formatStanding(task)}`;
  const missing = describeMissingReviewer(task);
  if (missing === null) return created;
  const way = `orange task update ${nameForCommand(task.fields)} --review-harness NAME`;
  return `${created}\n  ${oneLine(missing)} (${way})`;
}

const EMPTY_BRANCH = {
  kind: 'branch-invalid',
  branch: '',
  rule: 'it is empty',
} as const;

// A repository that nobody registered is registered by its first task.
async function projectToUse(
  context: CommandContext,
  name: string | undefined,
): Promise<Result<string>> {
  const known = await resolveProject(context, name);
  if (!known.ok) return known;
  if (known.value !== null) return success(known.value.name);
  const repositories = await context.repositories();
  const facts = await repositories.inspect(context.cwd);
  if (!facts.ok) return failed(withRemedy(facts.failure));
  const added = await submit(context, {
    kind: 'project.add',
    path: facts.value.root,
    name: null,
    defaultBranch: null,
    poolSize: null,
  });
  if (!added.ok) return added;
  const project = added.value.project?.name ?? '';
  context.output.note(`Registered project ${project} (${facts.value.root}).`);
  return success(project);
}

function withRemedy(failure: Failure): Failure {
  const remedy = 'Go to a repository, or name a project with --project NAME (orange project list).';
  return failure.kind === 'not-a-repository' ? { ...failure, remedy } : failure;
}
