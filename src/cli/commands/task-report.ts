import type { Command } from 'commander';
import { REPORT_STATES, type ReportState, type TaskRequest } from '../../domain/request.js';
import { failed } from '../../domain/result.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { nameTask } from '../format-task.js';
import { withJson, type JsonOption } from '../options.js';
import { readText } from '../read-text.js';
import { resolveTask } from '../resolve-name.js';
import { submitForTask } from '../submit.js';

type ReportOptions = JsonOption & {
  readonly working?: boolean;
  readonly waiting?: boolean;
  readonly done?: boolean;
  readonly message?: string;
  readonly hook?: boolean;
};

export function addTaskReportCommand(parent: Command, run: Run): void {
  withJson(parent.command('report'))
    .description('say how a task gets on; moves nothing')
    .argument('[task]', 'id, prefix or project/branch; default: the task of this directory')
    .option('--working', 'work goes on')
    .option('--waiting', 'the agent cannot go on without somebody')
    .option('--done', 'the agent has finished what it was doing')
    .option('-m, --message <text>', 'in a few words; - reads them from standard input')
    .option('--hook', "for an agent's hooks: silent, never fails, starts no daemon")
    .action((name: string | undefined, options: ReportOptions) =>
      run(options, (context) => reportOnTask(context, name, options)),
    );
}

export async function reportOnTask(
  context: CommandContext,
  name: string | undefined,
  options: ReportOptions,
): Promise<Ending> {
  if (options.hook === true) return reportFromHook(context, options);
  const states = statesIn(options);
  if (states.length > 1) return failed(TOO_MANY_STATES);
  const state = states[0] ?? null;
  if (state === null && options.message === undefined) return failed(NOTHING_SAID);
  const text = await readText(context, 'message', options.message ?? '');
  if (!text.ok) return text;
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  return submitForTask(
    context,
    reportOf(context, { taskId: task.value.fields.id, state, text: text.value }),
    (after) => `Noted for ${nameTask(after)}.`,
  );
}

/** Called by an agent's own program, which may add words of its own and must never be held up. */
async function reportFromHook(context: CommandContext, options: ReportOptions): Promise<Ending> {
  const taskId = context.env['ORANGE_TASK_ID'] ?? '';
  const [state] = statesIn(options);
  if (taskId === '' || state === undefined) return ENDED_WELL;
  const client = await context.runningClient();
  if (!client.ok || client.value === null) return ENDED_WELL;
  const request = reportOf(context, { taskId, state, text: options.message ?? '' });
  await client.value.call({ method: 'submit', request, actor: context.actor });
  return ENDED_WELL;
}

function reportOf(
  context: CommandContext,
  said: { readonly taskId: string; readonly state: ReportState | null; readonly text: string },
): Extract<TaskRequest, { kind: 'task.report' }> {
  const text = said.text.trim();
  const launchId = context.env['ORANGE_LAUNCH_ID'] ?? '';
  return {
    kind: 'task.report',
    taskId: said.taskId,
    state: said.state,
    text: text === '' ? null : text,
    // A person who reports from a shell inside the worktree speaks for no agent.
    launchId: context.actor === 'agent' && launchId !== '' ? launchId : null,
  };
}

function statesIn(options: ReportOptions): readonly ReportState[] {
  return REPORT_STATES.filter((state) => options[state] === true);
}

const TOO_MANY_STATES = {
  kind: 'invalid-argument',
  argument: '--working, --waiting, --done',
  value: '',
  rule: 'only one of them can be true',
} as const;

const NOTHING_SAID = {
  kind: 'invalid-argument',
  argument: 'report',
  value: '',
  rule: 'it says nothing',
  remedy: 'Give --working, --waiting or --done, and some words with -m TEXT',
} as const;
