import type { Command } from 'commander';
import { dateReason } from '../../domain/date-reason.js';
import type { HistoryEvent } from '../../domain/history-event.js';
import { SECTION_NAMES, type Sections } from '../../domain/section.js';
import { isTerminal } from '../../domain/status.js';
import { missingReferences, relateTasks } from '../../domain/task-relations.js';
import { toTaskJson, type Relations, type TaskView } from '../../domain/task-view.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { formatEvent, type EventLayout } from '../format-event.js';
import { formatTaskFields, nameBlockers, nameOf } from '../format-task.js';
import { withJson, type JsonOption } from '../options.js';
import { paint, withoutPaint } from '../paint.js';
import type { LastScreen } from '../read-last-screen.js';
import { resolveTask } from '../resolve-name.js';
import { oneLine } from '../table.js';
import { tellUnsupervised } from '../tell-unsupervised.js';

export function addTaskShowCommand(parent: Command, run: Run): void {
  withJson(parent.command('show'))
    .description('everything about a task')
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .action((name: string | undefined, options: JsonOption) =>
      run(options, (context) => showTask(context, name)),
    );
}

export async function showTask(context: CommandContext, name: string | undefined): Promise<Ending> {
  const found = await resolveTask(context, name);
  if (!found.ok) return found;
  const { readTaskDocument, readTaskHistory } = await import('../read-task.js');
  const { readLastScreen } = await import('../read-last-screen.js');
  const document = readTaskDocument(context, found.value);
  // What is wrong with its file is told beside what was last known of the task.
  if (!document.ok && found.value.problems.length === 0) return document;
  const history = readTaskHistory(context, found.value);
  if (!history.ok) return history;
  const { project, id } = found.value.fields;
  const sections = document.ok ? document.value.sections : {};
  const dir = context.paths.taskDir(project, id);
  const snapshot = await context.snapshot();
  const tasks = snapshot.ok ? snapshot.value.tasks : [];
  const isUnsupervised = snapshot.ok && snapshot.value.isUnsupervised === true;
  const task = isUnsupervised ? await lookForReviewer(context, found.value) : found.value;
  const relations = relateTasks(tasks)(id);
  const last_screen = readLastScreen(context, task, history.value, SHOWN_LINES);
  const told = { sections, history: history.value, last_screen, dir };
  const value = { ...toTaskJson(task), ...relations, ...told };
  tellMissing(context, task, tasks);
  context.output.result(value, () =>
    [
      formatTaskFields(task, { nowMs: context.nowMs(), tasks }),
      ...formatRelations(relations, tasks),
      ...formatReasons(nameBlockers(task, tasks), context.nowMs()),
      ...formatSections(sections),
      formatHistory(history.value.slice(-SHOWN_EVENTS), { columns: context.output.columns, dir }),
      ...formatLastScreen(last_screen),
      paint('dim', dir),
    ].join('\n\n'),
  );
  if (snapshot.ok) await tellUnsupervised(context, snapshot.value);
  return ENDED_WELL;
}

/** A daemon knows which programs there are; without one they are looked for here. */
async function lookForReviewer(context: CommandContext, task: TaskView): Promise<TaskView> {
  const { status, review_harness: reviewer } = task.fields;
  if (isTerminal(status)) return task;
  const { readHarnesses } = await import('./harness-list.js');
  const rows = await readHarnesses(context);
  const isThere = !rows.ok || rows.value.some((row) => row.name === reviewer && row.installed);
  return isThere ? task : { ...task, reviewer_missing: true };
}

const SHOWN_EVENTS = 10;
const SHOWN_LINES = 10;

function tellMissing(context: CommandContext, task: TaskView, tasks: readonly TaskView[]): void {
  const known = new Set(tasks.map(({ fields }) => fields.id));
  for (const { key, id } of missingReferences(task, (each) => known.has(each))) {
    context.output.note(`${key} names ${oneLine(id)}, which does not exist`);
  }
}

function formatRelations(relations: Relations, tasks: readonly TaskView[]): readonly string[] {
  const names = (ids: readonly string[]): string => ids.map((id) => nameOf(id, tasks)).join(', ');
  const lines = [
    ...(relations.blocks.length === 0 ? [] : [`blocks ${names(relations.blocks)}`]),
    ...(relations.referenced_by.length === 0
      ? []
      : [`referenced by ${names(relations.referenced_by)}`]),
  ];
  return lines.length === 0 ? [] : [lines.map(oneLine).join('\n')];
}

function formatHistory(events: readonly HistoryEvent[], layout: EventLayout): string {
  const lines = events.map((event) => formatEvent(event, layout));
  return [paint('bold', 'History'), ...lines].join('\n');
}

function formatLastScreen(screen: LastScreen | null): readonly string[] {
  if (screen === null) return [];
  const { file, lines } = screen;
  const shown = lines.length === 0 ? ['(nothing)'] : lines;
  return [
    [
      paint('bold', 'Last screen of its agent'),
      ...shown.map((line) => `  ${withoutPaint(line)}`.trimEnd()),
      paint('dim', oneLine(file)),
    ].join('\n'),
  ];
}

function formatReasons(task: TaskView, nowMs: number): readonly string[] {
  const problems = task.problems.map(
    (found) => `${paint('red', '!')} ${oneLine(`${found.message} (line ${found.line})`)}`,
  );
  const reasons = task.reasons.map(
    (reason) => `${paint('yellow', '·')} ${oneLine(dateReason(reason, nowMs).message)}`,
  );
  const lines = [...problems, ...reasons];
  return lines.length === 0 ? [] : [lines.join('\n')];
}

function formatSections(sections: Sections): readonly string[] {
  return SECTION_NAMES.flatMap((name) => {
    const text = sections[name];
    return text === undefined ? [] : [`${paint('bold', `## ${name}`)}\n${text.trimEnd()}`];
  });
}
