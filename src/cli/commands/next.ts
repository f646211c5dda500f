import type { Command } from 'commander';
import { PRIORITIES, priorityOf } from '../../domain/extensions.js';
import { remedyFor, untoldRemedy } from '../../domain/remedy.js';
import { success, type Result } from '../../domain/result.js';
import type { NextRow, Snapshot, TaskView, WaitReason } from '../../domain/task-view.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { nameInReasons, nameTask } from '../format-task.js';
import { withJson, type JsonOption } from '../options.js';
import { paint } from '../paint.js';
import { oneLine } from '../table.js';

type NextOptions = JsonOption & { readonly explain?: boolean };

export function addNextCommand(program: Command, run: Run): void {
  withJson(program.command('next'))
    .description('which pending task starts next')
    .option('-e, --explain', 'every pending task, with the reasons it waits')
    .action((options: NextOptions) => run(options, (context) => showNext(context, options)));
}

export async function showNext(context: CommandContext, options: NextOptions): Promise<Ending> {
  const snapshot = await context.snapshot();
  if (!snapshot.ok) return snapshot;
  const rows = await nextRows(context, snapshot.value);
  if (!rows.ok) return rows;
  const tasks = new Map(snapshot.value.tasks.map((task) => [task.fields.id, task]));
  const wanted =
    options.explain === true ? rows.value : rows.value.filter((row) => row.eligible).slice(0, 1);
  const shown = wanted.map((row) => withRemedies(row, tasks.get(row.id)));
  context.output.result(shown, () => formatNext(shown, tasks, rows.value.length));
  return ENDED_WELL;
}

function withRemedies(row: NextRow, task: TaskView | undefined): NextRow {
  if (task === undefined) return row;
  const reasons = row.reasons.map((reason) => {
    const settle = remedyFor(reason, task);
    return settle === null ? reason : { ...reason, settle };
  });
  return { ...row, reasons };
}

async function nextRows(
  context: CommandContext,
  snapshot: Snapshot,
): Promise<Result<readonly NextRow[]>> {
  const client = await context.runningClient();
  if (!client.ok) return client;
  return client.value === null
    ? success(rowsWithoutDaemon(snapshot))
    : client.value.call({ method: 'next' });
}

const NOT_RUNNING: WaitReason = {
  code: 'daemon-not-running',
  message: 'the daemon is not running, so nothing starts (orange daemon start)',
};

/** What the record alone says; the daemon, which knows pool and harnesses, says it better. */
export function rowsWithoutDaemon(snapshot: Snapshot): readonly NextRow[] {
  return snapshot.tasks
    .filter((task) => task.fields.status === 'pending')
    .toSorted(inOrder)
    .map((task) => ({
      id: task.fields.id,
      eligible: false,
      reasons: [...task.reasons, NOT_RUNNING],
    }));
}

function inOrder(a: TaskView, b: TaskView): number {
  return (
    rank(a) - rank(b) ||
    a.fields.created_at.localeCompare(b.fields.created_at) ||
    a.fields.id.localeCompare(b.fields.id)
  );
}

function rank(task: TaskView): number {
  return PRIORITIES.indexOf(priorityOf(task.extensions));
}

function formatNext(
  rows: readonly NextRow[],
  tasks: ReadonlyMap<string, TaskView>,
  pending: number,
): string {
  if (rows.length === 0) {
    return paint(
      'dim',
      pending === 0 ? 'Nothing is pending.' : 'Nothing can start now; see: orange next --explain',
    );
  }
  return rows
    .map((row) => {
      const task = tasks.get(row.id);
      const name = task === undefined ? row.id : nameTask(task);
      const icon = row.eligible ? paint('green', '▸') : paint('dim', '·');
      const reasons = nameInReasons(row.reasons, [...tasks.values()]).map((reason) => {
        const remedy = task === undefined ? null : untoldRemedy(reason, task);
        const way = remedy === null ? '' : `\n      ${paint('dim', oneLine(remedy))}`;
        return `\n    ${oneLine(reason.message)}${way}`;
      });
      return `${icon} ${name}${reasons.join('')}`;
    })
    .join('\n');
}
