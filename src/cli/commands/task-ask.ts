import type { Command } from 'commander';
import { failed, success, type Result } from '../../domain/result.js';
import type { TaskView } from '../../domain/task-view.js';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { findTask, taskAround, taskName } from '../find-task.js';
import { nameTask } from '../format-task.js';
import { withJson, type JsonOption } from '../options.js';
import { readText } from '../read-text.js';
import { resolveTask } from '../resolve-name.js';
import { submitForTask } from '../submit.js';

export function addTaskAskCommand(parent: Command, run: Run): void {
  withJson(parent.command('ask'))
    .description('ask the user something about a task, which then waits for the answer')
    .usage('[options] [task] <question...>')
    .argument('<words...>', 'the task, unless it is the one of this directory, then the question')
    .addHelpText('after', '\nA question that is just - is read from standard input.')
    .action((words: readonly string[], options: JsonOption) =>
      run(options, (context) => askAboutTask(context, words)),
    );
}

export async function askAboutTask(
  context: CommandContext,
  words: readonly string[],
): Promise<Ending> {
  const asked = await readWords(context, words);
  if (!asked.ok) return asked;
  const { task, question } = asked.value;
  const text = await readText(context, 'question', question);
  if (!text.ok) return text;
  if (text.value.trim() === '') return failed(NO_QUESTION);
  return submitForTask(
    context,
    { kind: 'task.ask', taskId: task.fields.id, text: text.value },
    (after) => `Asked; ${nameTask(after)} waits for the answer.`,
  );
}

/** Inside a task the first word may name it in full; elsewhere it must name one. */
async function readWords(
  context: CommandContext,
  words: readonly string[],
): Promise<Result<{ readonly task: TaskView; readonly question: string }>> {
  const snapshot = await context.snapshot();
  if (!snapshot.ok) return snapshot;
  const { tasks } = snapshot.value;
  const around = taskAround({
    tasks,
    taskId: context.env['ORANGE_TASK_ID'],
    cwd: context.cwd,
    workspacesDir: context.paths.workspacesDir,
  });
  const [first = '', ...rest] = words;
  const named = tasks.find((task) => task.fields.id === first || taskName(task) === first);
  if (around?.ok === true && (named === undefined || rest.length === 0)) {
    return success({ task: around.value, question: words.join(' ') });
  }
  if (rest.length === 0 && findTask(tasks, first).ok) return failed(NO_QUESTION);
  const task = await resolveTask(context, rest.length === 0 ? undefined : first);
  return task.ok ? success({ task: task.value, question: rest.join(' ') }) : task;
}

const NO_QUESTION = {
  kind: 'invalid-argument',
  argument: 'question',
  value: '',
  rule: 'it is empty',
  remedy: 'Say what you want to know: orange task ask TASK "QUESTION"',
} as const;
