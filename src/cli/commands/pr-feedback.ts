import type { Command } from 'commander';
import { quoteRemarks } from '../../domain/quote-remarks.js';
import { failed } from '../../domain/result.js';
import type { TaskView } from '../../domain/task-view.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { taskName } from '../find-task.js';
import { nameTask } from '../format-task.js';
import { withJson, type JsonOption } from '../options.js';
import { resolveTask } from '../resolve-name.js';
import { submitForTask } from '../submit.js';

type FeedbackOptions = JsonOption & { readonly send?: boolean; readonly dismiss?: boolean };

export function addPrFeedbackCommand(parent: Command, run: Run): void {
  withJson(parent.command('feedback'))
    .description('failing checks and comments on a pull request: show them, or pass them on')
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .option('--send', 'send what is new to the worker; work that waits for you goes back to it')
    .option('--dismiss', 'put away what waits, without telling the worker')
    .action((name: string | undefined, options: FeedbackOptions) =>
      run(options, (context) => showFeedback(context, name, options)),
    );
}

export async function showFeedback(
  context: CommandContext,
  name: string | undefined,
  options: FeedbackOptions,
): Promise<Ending> {
  if (options.send === true && options.dismiss === true) return failed(BOTH);
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  const { pr_url: url, id: taskId } = task.value.fields;
  if (url === null) return failed({ kind: 'pr-missing', task: taskName(task.value) });
  if (options.send === true || options.dismiss === true) {
    const decision = options.send === true ? 'send' : 'dismiss';
    return submitForTask(context, { kind: 'task.pr-feedback', taskId, decision }, (after) =>
      decision === 'send' ? describeSent(after) : `Put away for ${nameTask(after)}.`,
    );
  }
  const { createPullRequests } = await import('../../adapters/github/pull-requests.js');
  const seen = await createPullRequests(context.env).view(url);
  if (!seen.ok) return seen;
  const { remarks } = seen.value;
  context.output.result(remarks, () =>
    remarks.length === 0 ? `Nothing is said on ${url}` : quoteRemarks(remarks, LONGEST_SHOWN),
  );
  return ENDED_WELL;
}

const LONGEST_SHOWN = 200_000;

const BOTH = {
  kind: 'invalid-argument',
  argument: '--dismiss',
  value: '',
  rule: 'say --send or --dismiss, not both',
} as const;

function describeSent(task: TaskView): string {
  return `Sent to the worker of ${nameTask(task)}: it is ${task.fields.status}.`;
}
