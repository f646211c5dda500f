import type { Command } from 'commander';
import { failed } from '../../domain/result.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { nameTask } from '../format-task.js';
import { parseWhole, withJson, type JsonOption } from '../options.js';
import { readText } from '../read-text.js';
import { resolveTask } from '../resolve-name.js';
import { submitForTask } from '../submit.js';

type AnswerOptions = JsonOption & { readonly question?: number };

export function addTaskAnswerCommand(parent: Command, run: Run): void {
  withJson(parent.command('answer'))
    .description('answer what a task asks, and let it go on')
    .argument('<task>', 'id, prefix or project/branch')
    .argument('<text...>', 'the answer; - reads it from standard input')
    .option(
      '-q, --question <number>',
      'answer only this one; the task goes on when none is open',
      parseWhole({ min: 1, max: 999 }),
    )
    .action((name: string, words: readonly string[], options: AnswerOptions) =>
      run(options, (context) => answerTask(context, { name, words }, options)),
    );
}

export async function answerTask(
  context: CommandContext,
  { name, words }: { readonly name: string; readonly words: readonly string[] },
  options: AnswerOptions,
): Promise<Ending> {
  const text = await readText(context, 'text', words.join(' '));
  if (!text.ok) return text;
  if (text.value.trim() === '') {
    return failed(NO_ANSWER);
  }
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  const question = options.question ?? null;
  return submitForTask(
    context,
    { kind: 'task.answer', taskId: task.value.fields.id, question, text: text.value },
    (after) =>
      after.fields.status === 'clarification'
        ? `Answered question ${question ?? ''} of ${nameTask(after)}; others are open.`
        : `Answered; ${nameTask(after)} is ${after.fields.status} again.`,
  );
}

const NO_ANSWER = {
  kind: 'invalid-argument',
  argument: 'text',
  value: '',
  rule: 'it is empty',
  remedy: 'Write the answer after the task, or give - and send it on standard input.',
} as const;
