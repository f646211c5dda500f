import type { Command } from 'commander';
import { success } from '../../domain/result.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { nameTask } from '../format-task.js';
import { withJson, type JsonOption } from '../options.js';
import { readText } from '../read-text.js';
import { resolveTask } from '../resolve-name.js';
import { submitForTask } from '../submit.js';
import { oneLine } from '../table.js';

type CreateOptions = JsonOption & {
  readonly draft?: boolean;
  readonly title?: string;
  readonly body?: string;
  readonly base?: string;
};

export function addPrCreateCommand(parent: Command, run: Run): void {
  withJson(parent.command('create'))
    .description('push the branch of a task and open a pull request; again, to push what is new')
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .option('--draft', 'open it as a draft')
    .option('--title <text>', "title (default: the task's summary)")
    .option(
      '--body <text>',
      "description; - reads it from standard input (default: the repository's template or the Context, and the Handoff)",
    )
    .option('--base <branch>', "branch to merge into (default: the task's base)")
    .action((name: string | undefined, options: CreateOptions) =>
      run(options, (context) => createPullRequest(context, name, options)),
    );
}

export async function createPullRequest(
  context: CommandContext,
  name: string | undefined,
  options: CreateOptions,
): Promise<Ending> {
  const body =
    options.body === undefined ? success(null) : await readText(context, '--body', options.body);
  if (!body.ok) return body;
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  return submitForTask(
    context,
    {
      kind: 'task.pr-create',
      taskId: task.value.fields.id,
      isDraft: options.draft === true,
      title: options.title ?? null,
      body: body.value,
      base: options.base ?? null,
    },
    (after) => `${nameTask(after)}: ${oneLine(after.fields.pr_url ?? '')}`,
  );
}
