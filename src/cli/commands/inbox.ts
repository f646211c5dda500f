import type { Command } from 'commander';
import { dateReason } from '../../domain/date-reason.js';
import { describeLoss, nameForCommand } from '../../domain/describe-need.js';
import { inboxOf, inOrder, type InboxItem } from '../../domain/inbox.js';
import { success } from '../../domain/result.js';
import type { Snapshot, TaskView } from '../../domain/task-view.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { formatAge, ID_PREFIX_LENGTH, nameBlocker } from '../format-task.js';
import { withJson, withProject, type JsonOption } from '../options.js';
import { paint } from '../paint.js';
import { resolveProject } from '../resolve-name.js';
import { clip, count, oneLine, wrapText } from '../table.js';
import { tellUnsupervised } from '../tell-unsupervised.js';

type InboxOptions = JsonOption & { readonly project?: string; readonly all?: boolean };

export function addInboxCommand(program: Command, run: Run): void {
  withProject(withJson(program.command('inbox')))
    .description('everything that waits for you, oldest first')
    .option('-a, --all', 'of every project')
    .action((options: InboxOptions) => run(options, (context) => showInbox(context, options)));
}

export async function showInbox(context: CommandContext, options: InboxOptions): Promise<Ending> {
  const snapshot = await context.snapshot();
  if (!snapshot.ok) return snapshot;
  const isEverywhere = options.all === true && options.project === undefined;
  const project = isEverywhere ? success(null) : await resolveProject(context, options.project);
  if (!project.ok) return project;
  const items = inboxOf(snapshot.value, project.value?.name ?? null);
  const dated = inOrder(items.map((item) => withFileTime(context, item, snapshot.value)));
  const named = dated.map((item) => ({
    ...item,
    message: nameBlocker(messageOf(item, context.nowMs()), snapshot.value.tasks),
  }));
  const screen = { columns: context.output.columns, nowMs: context.nowMs() };
  context.output.result(named, () =>
    named.length === 0
      ? paint('dim', 'Nothing waits for you.')
      : named
          .map((item) => formatItem(item, otherWays(item, snapshot.value.tasks), screen))
          .join('\n'),
  );
  const elsewhere = inboxOf(snapshot.value).length - items.length;
  if (elsewhere > 0) {
    const wait = elsewhere === 1 ? 'waits' : 'wait';
    const text = `${count(elsewhere, 'thing')} ${wait} in other projects: orange inbox --all`;
    context.output.note(paint('dim', text));
  }
  await tellUnsupervised(context, snapshot.value);
  return ENDED_WELL;
}

function messageOf({ code, message, since }: InboxItem, nowMs: number): string {
  return dateReason({ code, message, ...(since === null ? {} : { since }) }, nowMs).message;
}

/** A broken file waits since it was last written, where no daemon has seen since when. */
function withFileTime({ files }: CommandContext, item: InboxItem, snapshot: Snapshot): InboxItem {
  const isKnown = item.code === 'unreadable' && snapshot.isUnsupervised !== true;
  if (item.file === null || isKnown) return item;
  const state = files.stat(item.file);
  const isThere = state.ok && state.value.kind === 'file';
  const since = isThere ? new Date(state.value.stamp.mtimeMs).toISOString() : item.since;
  return { ...item, since };
}

/** What else settles it, where a person has the choice. */
function otherWays(item: InboxItem, tasks: readonly TaskView[]): readonly string[] {
  const task = tasks.find(({ fields }) => fields.id === item.task_id);
  const way = OTHER_WAYS[item.code];
  return task === undefined || way === undefined ? [] : [way(nameForCommand(task.fields))];
}

const OTHER_WAYS: Readonly<Record<string, (name: string) => string>> = {
  review: (name) => `orange task request-changes ${name} -m TEXT`,
  stuck: (name) => `orange task request-changes ${name} -m TEXT`,
  'start-gate': (name) => `orange reject ${name} -m TEXT`,
  'plan-gate': (name) => `orange reject ${name} -m TEXT`,
  'pr-feedback': (name) => `orange pr feedback ${name} --dismiss`,
};

type Screen = { readonly columns: number; readonly nowMs: number };

function formatItem(
  item: InboxItem,
  others: readonly string[],
  { columns, nowMs }: Screen,
): string {
  const age = item.since === null ? '' : `  ${paint('dim', formatAge(item.since, nowMs))}`;
  const id = item.task_id === null ? '' : ` (${item.task_id.slice(0, ID_PREFIX_LENGTH)})`;
  const name = `${paint('bold', oneLine(item.task ?? item.file ?? ''))}${id}`;
  const texts =
    item.questions.length === 0
      ? [item.message]
      : [
          ...item.questions.map(({ number, text }) => `${number}. ${text}`),
          ...(item.gone === null ? [] : [describeLoss(item.gone)]),
        ];
  return [
    `${paint('yellow', '●')} ${name}  ${item.code}${age}`,
    ...texts.flatMap((text) => indented(text, columns)),
    paint('dim', `    ${oneLine(item.command)}`),
    ...others.map((way) => paint('dim', `    or: ${oneLine(way)}`)),
  ].join('\n');
}

/** Long enough for whatever a person is asked, short enough for many. */
const MAX_LINES = 12;

function indented(text: string, columns: number): readonly string[] {
  const width = columns - 4;
  return wrapText(clip(oneLine(text), MAX_LINES * width), width, 0)
    .split('\n')
    .map((line) => `    ${line}`);
}
