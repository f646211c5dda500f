import type { Command } from 'commander';
import { failed } from '../../domain/result.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { nameTask } from '../format-task.js';
import { withJson, type JsonOption } from '../options.js';
import { readText } from '../read-text.js';
import { resolveTask } from '../resolve-name.js';
import { submitForTask } from '../submit.js';

type RequestOptions = JsonOption & { readonly message?: string };

export function addTaskRequestChangesCommand(parent: Command, run: Run): void {
  withJson(parent.command('request-changes'))
    .description('send a task that is reviewing or stuck back to its worker, with your words')
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .option('-m, --message <text>', 'what is to be changed; - reads it from standard input')
    .action((name: string | undefined, options: RequestOptions) =>
      run(options, (context) => requestChanges(context, name, options)),
    );
}

export async function requestChanges(
  context: CommandContext,
  name: string | undefined,
  options: RequestOptions,
): Promise<Ending> {
  const said = options.message ?? '';
  if (said.trim() === '') return failed(NO_WORDS);
  const text = await readText(context, '--message', said);
  if (!text.ok) return text;
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  return submitForTask(
    context,
    { kind: 'task.request-changes', taskId: task.value.fields.id, text: text.value },
    (after) => `Sent ${nameTask(after)} back: it is ${after.fields.status}.`,
  );
}

const NO_WORDS = {
  kind: 'invalid-argument',
  argument: '--message',
  value: '',
  rule: 'say what is to be changed',
  remedy: 'orange task request-changes ID -m "…", or -m - to read it from standard input',
} as const;
