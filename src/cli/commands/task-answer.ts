import type { Command } from 'commander';
import { nameQuestions } from '../../domain/name-questions.js';
import { failed } from '../../domain/result.js';
import type { OpenQuestion } from '../../domain/section.js';
import type { TaskView } from '../../domain/task-view.js';
import { readQuestions } from '../../record/questions.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { nameTask } from '../format-task.js';
import { parseWhole, withJson, type JsonOption } from '../options.js';
import { readTaskDocument, readTaskHistory } from '../read-task.js';
import { readText } from '../read-text.js';
import { resolveTask } from '../resolve-name.js';
import { submitForTask } from '../submit.js';
import { clip, oneLine } from '../table.js';

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
  const read = (): readonly OpenQuestion[] => readAnswered(context, task.value, question);
  return submitForTask(
    context,
    { kind: 'task.answer', taskId: task.value.fields.id, question, text: text.value },
    (after) => sayAnswered(after, question, read()),
    () => ({ answered: read() }),
  );
}

function sayAnswered(
  after: TaskView,
  question: number | null,
  answered: readonly OpenQuestion[],
): string {
  const listed = answered.map(({ number, text }) => {
    return `  ${number}. ${clip(oneLine(text), LONGEST_SHOWN)}`.trimEnd();
  });
  const isForAll = question === null && answered.length > 1;
  return [sayWhere(after, answered), ...listed, ...(isForAll ? [FOR_ALL] : [])].join('\n');
}

/** Whoever names no question may not have seen the last one. */
const FOR_ALL = 'The answer counts for all of them; with --question N it counts for one.';
const LONGEST_SHOWN = 70;

/** What was answered by the record; one that came meanwhile is among them. */
function readAnswered(
  context: CommandContext,
  before: TaskView,
  question: number | null,
): readonly OpenQuestion[] {
  const document = readTaskDocument(context, before);
  const asked = document.ok ? readQuestions(document.value.sections) : before.questions;
  const history = readTaskHistory(context, before);
  const events = history.ok ? history.value : [];
  const numbers = events.findLast(({ type }) => type === 'question.answered')?.['questions'];
  const known = Array.isArray(numbers) ? numbers : before.questions.map(({ number }) => number);
  const wanted = question === null ? known.filter((each) => typeof each === 'number') : [question];
  return wanted.map((number) => {
    const text = asked.find((each) => each.number === number)?.text ?? '';
    return { number, text };
  });
}

function sayWhere(after: TaskView, answered: readonly OpenQuestion[]): string {
  const numbers = answered.map(({ number }) => number);
  return after.fields.status === 'clarification'
    ? `Answered ${nameQuestions(numbers)} of ${nameTask(after)}; others are open.`
    : `Answered; ${nameTask(after)} is ${after.fields.status} again.`;
}

const NO_ANSWER = {
  kind: 'invalid-argument',
  argument: 'text',
  value: '',
  rule: 'it is empty',
  remedy: 'Write the answer after the task, or give - and send it on standard input.',
} as const;
