import type { Command } from 'commander';
import { failed, success } from '../../domain/result.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { nameTask } from '../format-task.js';
import { withJson, type JsonOption } from '../options.js';
import { readText } from '../read-text.js';
import { resolveTask } from '../resolve-name.js';
import { submitForTask } from '../submit.js';

type ReviewOptions = JsonOption & {
  readonly pass?: boolean;
  readonly fail?: boolean;
  readonly message?: string;
};

export function addTaskReviewCommand(parent: Command, run: Run): void {
  withJson(parent.command('review'))
    .description(
      'give the verdict in agent-review; --fail in reviewing sends the task back to work',
    )
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .argument('[feedback]', 'the review; - reads it from standard input')
    .option('--pass', 'the work is good')
    .option('--fail', 'the work needs changes')
    .option('-m, --message <text>', 'the review; - reads it from standard input')
    .action((name: string | undefined, feedback: string | undefined, options: ReviewOptions) =>
      run(options, (context) => reviewTask(context, readWords(name, feedback), options)),
    );
}

type Words = { readonly name: string | undefined; readonly feedback: string | undefined };

export async function reviewTask(
  context: CommandContext,
  words: Words,
  options: ReviewOptions,
): Promise<Ending> {
  const isPass = options.pass === true;
  if (isPass === (options.fail === true)) return failed(NO_VERDICT);
  const said = options.message ?? words.feedback;
  const text = said === undefined ? success('') : await readText(context, '--message', said);
  if (!text.ok) return text;
  const task = await resolveTask(context, words.name);
  if (!task.ok) return task;
  return submitForTask(
    context,
    {
      kind: 'task.review',
      taskId: task.value.fields.id,
      verdict: isPass ? 'PASS' : 'FAIL',
      text: text.value,
    },
    (after) =>
      task.value.fields.status === 'reviewing'
        ? `Sent ${nameTask(after)} back: it is ${after.fields.status}.`
        : `Review ${isPass ? 'passed' : 'failed'}: ${nameTask(after)} is ${after.fields.status}.`,
  );
}

// `orange task review --fail -`: inside a worktree a lone dash is the text, not the task.
function readWords(name: string | undefined, feedback: string | undefined): Words {
  return name === '-' && feedback === undefined
    ? { name: undefined, feedback: '-' }
    : { name, feedback };
}

const NO_VERDICT = {
  kind: 'invalid-argument',
  argument: 'verdict',
  value: '',
  rule: 'exactly one of --pass and --fail must be given',
} as const;
