import type { Command } from 'commander';
import { failed } from '../../domain/result.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { nameTask } from '../format-task.js';
import { agentNotRunning } from '../name-in-failure.js';
import { withJson, type JsonOption } from '../options.js';
import { readText } from '../read-text.js';
import { resolveTask } from '../resolve-name.js';
import { submitForTask } from '../submit.js';

export function addTaskSendCommand(parent: Command, run: Run): void {
  withJson(parent.command('send'))
    .description('say something to the agent of a task')
    .argument('<task>', 'id, prefix or project/branch')
    .argument('<text>', 'what to say; - reads it from standard input')
    .action((name: string, text: string, options: JsonOption) =>
      run(options, (context) => sendToTask(context, name, text)),
    );
}

export async function sendToTask(
  context: CommandContext,
  name: string,
  words: string,
): Promise<Ending> {
  const text = await readText(context, 'text', words);
  if (!text.ok) return text;
  if (text.value.trim() === '') {
    return failed({ kind: 'invalid-argument', argument: 'text', value: '', rule: 'it is empty' });
  }
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  if (task.value.fields.status === 'pending') return failed(agentNotRunning(task.value));
  return submitForTask(
    context,
    { kind: 'task.send', taskId: task.value.fields.id, text: text.value },
    (after) => `Sent to ${nameTask(after)}.`,
  );
}
