import type { Command } from 'commander';
import { CONVERSATION_ID_RULE, isConversationId } from '../../domain/conversation-id.js';
import { REPORT_STATES, type ReportState, type TaskRequest } from '../../domain/request.js';
import { failed } from '../../domain/result.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { nameTask } from '../format-task.js';
import { withJson, type JsonOption } from '../options.js';
import { readText } from '../read-text.js';
import { resolveTask } from '../resolve-name.js';
import { submitForTask } from '../submit.js';
import { conversationInHookInput, conversationInNotice } from '../told-conversation.js';

type ReportOptions = JsonOption & {
  readonly working?: boolean;
  readonly waiting?: boolean;
  readonly done?: boolean;
  readonly message?: string;
  readonly conversation?: string;
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
    .option(
      '--conversation <id>',
      "the agent's conversation, by which its program takes it up again after a crash",
    )
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
  if (options.hook === true) return reportFromHook(context, name, options);
  const states = statesIn(options);
  if (states.length > 1) return failed(TOO_MANY_STATES);
  const state = states[0] ?? null;
  const { conversation } = options;
  if (state === null && options.message === undefined && conversation === undefined) {
    return failed(NOTHING_SAID);
  }
  if (conversation !== undefined && !isConversationId(conversation)) {
    return failed({ ...NO_CONVERSATION, value: conversation });
  }
  const text = await readText(context, 'message', options.message ?? '');
  if (!text.ok) return text;
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  return submitForTask(
    context,
    reportOf(context, { taskId: task.value.fields.id, state, text: text.value, conversation }),
    (after) => `Noted for ${nameTask(after)}.`,
  );
}

/** Called by an agent's own program, which may add words of its own and must never be held up. */
async function reportFromHook(
  context: CommandContext,
  added: string | undefined,
  options: ReportOptions,
): Promise<Ending> {
  const taskId = context.env['ORANGE_TASK_ID'] ?? '';
  const [state] = statesIn(options);
  if (taskId === '' || state === undefined) return ENDED_WELL;
  const client = await context.runningClient();
  if (!client.ok || client.value === null) return ENDED_WELL;
  const conversation = await conversationOfHook(context, { taskId, added, options });
  const text = options.message ?? '';
  const request = reportOf(context, { taskId, state, text, conversation });
  await client.value.call({ method: 'submit', request, actor: context.actor });
  return ENDED_WELL;
}

/** The id it was given, or finds in what the program says; one that is none is passed over. */
async function conversationOfHook(
  { terminal }: CommandContext,
  said: {
    readonly taskId: string;
    readonly added: string | undefined;
    readonly options: ReportOptions;
  },
): Promise<string | undefined> {
  const { taskId, added, options } = said;
  const given = options.conversation;
  if (given === '-') {
    const input = await terminal.readInput(AbortSignal.timeout(INPUT_MS));
    return (input === null ? null : conversationInHookInput(input)) ?? undefined;
  }
  if (given !== undefined) return isConversationId(given) ? given : undefined;
  return added === undefined ? undefined : (conversationInNotice(added, taskId) ?? undefined);
}

function reportOf(
  context: CommandContext,
  said: {
    readonly taskId: string;
    readonly state: ReportState | null;
    readonly text: string;
    readonly conversation: string | undefined;
  },
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
    ...(said.conversation === undefined ? {} : { conversation: said.conversation }),
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

const NO_CONVERSATION = {
  kind: 'invalid-argument',
  argument: '--conversation',
  rule: CONVERSATION_ID_RULE,
} as const;

/** A program that leaves its end of the input open shall not hold its own agent up. */
const INPUT_MS = 2000;
