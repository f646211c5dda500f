import type { Diagnostic } from '../domain/diagnostic.js';
import { describeOverlap } from '../domain/describe-overlap.js';
import type { Failure } from '../domain/failure.js';
import type { LockView } from '../domain/lock.js';
import type { TaskView } from '../domain/task-view.js';
import {
  type DashboardContext,
  onSelectedTask,
  openDialog,
  selectedTask,
  tell,
} from './dashboard-context.js';
import { cleanLines, oneLine } from './display-text.js';
import { taskName } from './task-name.js';
import { failureMessage } from './run-jobs.js';
import type { Reader } from './ui-state.js';

const PEEK_LINES = 200;
const BOTTOM = Number.MAX_SAFE_INTEGER;

/** Shows the selected task's TASK.md. */
export const viewTaskFile = onSelectedTask((context, task) => {
  const reader = startReader(context, `TASK.md of ${taskName(task)}`);
  void fillFromFile(context, reader, task.fields.id);
});

/** Shows what the selected task has changed, uncommitted work included. */
export const viewDiff = onSelectedTask((context, task) => {
  const reader = startReader(context, `Changes of ${taskName(task)}`, 'diff');
  void fillFromDiff(context, reader, task);
});

/** Shows the end of what is on the screen of the selected task's agent, or was when it ended. */
export const peekAtAgent = onSelectedTask((context, task) => {
  if (!task.actions.includes('attach')) return void showLastScreen(context, task);
  const reader = startReader(context, `Screen of ${taskName(task)}`);
  void fillFromScreen(context, reader, task.fields.id);
});

/** Lists who holds which files, and who is in whose way. */
export function showLocks(context: DashboardContext): void {
  void fillFromLocks(context, startReader(context, 'Locks'));
}

/** Lists what is wrong with files: the selected task's, and those that belong to no task. */
export function showProblems(context: DashboardContext): void {
  const others = context.feed.get().snapshot?.problems ?? [];
  const problems = [...(selectedTask(context)?.problems ?? []), ...others];
  if (problems.length === 0) return tell(context, 'no problems in any file');
  load(context, startReader(context, 'Problems'), problems.flatMap(problemLines), 0);
}

async function fillFromFile(
  context: DashboardContext,
  reader: Reader,
  taskId: string,
): Promise<void> {
  load(context, reader, await readFile(context, taskId), 0);
}

async function fillFromDiff(
  context: DashboardContext,
  reader: Reader,
  task: TaskView,
): Promise<void> {
  const diff = await context.readDiff(task.fields.id);
  if (!diff.ok) return giveUp(context, reader, diff.failure);
  if (diff.value.trim() === '') return load(context, reader, ['Nothing is changed.'], 0);
  load(context, reader, diffLines(diff.value, task.fields.id), 0);
}

// A person reads no more than this here, and more would keep the dashboard from answering.
const MOST_DIFF_CHARACTERS = 200_000;
const LONGEST_DIFF_LINE = 1000;

/** As much of a diff as can be drawn without delay, whatever is in it. */
function diffLines(diff: string, taskId: string): readonly string[] {
  const text = diff.trimEnd();
  const lines = text.slice(0, MOST_DIFF_CHARACTERS).split('\n').map(shortenLine);
  const isWhole = text.length <= MOST_DIFF_CHARACTERS;
  const more = isWhole ? [] : ['', `… the rest: orange task diff --full ${taskId}`];
  return [...lines.flatMap(cleanLines), ...more];
}

function shortenLine(line: string): string {
  return line.length > LONGEST_DIFF_LINE ? `${line.slice(0, LONGEST_DIFF_LINE)}…` : line;
}

async function fillFromScreen(
  context: DashboardContext,
  reader: Reader,
  taskId: string,
): Promise<void> {
  const result = await context.client.peek(taskId, PEEK_LINES);
  if (result.ok) return load(context, reader, result.value.flatMap(cleanLines), BOTTOM);
  giveUp(context, reader, result.failure);
}

async function showLastScreen(context: DashboardContext, task: TaskView): Promise<void> {
  const screen = await context.readLastScreen(task.fields.id);
  if (screen === null) {
    return tell(context, `${taskName(task)} has no agent to look at, and no screen of one is kept`);
  }
  const reader = startReader(context, `Last screen of ${taskName(task)}: its agent has ended`);
  load(context, reader, [...screen.lines.flatMap(cleanLines), '', oneLine(screen.file)], BOTTOM);
}

async function fillFromLocks(context: DashboardContext, reader: Reader): Promise<void> {
  const result = await context.client.locks();
  if (!result.ok) return giveUp(context, reader, result.failure);
  const lines = result.value.flatMap(lockLines);
  load(context, reader, lines.length === 0 ? ['Nothing is reserved.'] : lines, 0);
}

function giveUp(context: DashboardContext, reader: Reader, failure: Failure): void {
  if (isOpen(context, reader)) context.ui.dispatch({ kind: 'dialog-closed' });
  context.ui.dispatch({ kind: 'told', message: failureMessage(failure) });
}

// The file may be gone by the time it is asked for: that is part of normal life.
async function readFile(context: DashboardContext, taskId: string): Promise<readonly string[]> {
  try {
    return cleanLines(await context.readTaskFile(taskId));
  } catch (error) {
    return [oneLine(`It cannot be read: ${String(error)}`)];
  }
}

function startReader(
  context: DashboardContext,
  title: string,
  look: Reader['look'] = 'text',
): Reader {
  const readerId = Symbol(title);
  const reader: Reader = { kind: 'reader', readerId, title, look, lines: null, top: 0 };
  openDialog(context, reader);
  return reader;
}

function load(
  context: DashboardContext,
  { readerId }: Reader,
  lines: readonly string[],
  top: number,
): void {
  context.ui.dispatch({ kind: 'text-loaded', readerId, lines, top });
}

function isOpen(context: DashboardContext, { readerId }: Reader): boolean {
  const { dialog } = context.ui.get();
  return dialog?.kind === 'reader' && dialog.readerId === readerId;
}

function lockLines(lock: LockView): readonly string[] {
  const about = lock.status === null ? lock.id : `${lock.status}, plan`;
  const drift = lock.drift === 0 ? [] : [`  drift: ${lock.drift} files it did not declare`];
  return [
    oneLine(`${lock.holder} (${about})`),
    ...lock.paths.map((path) => oneLine(`  ${path}`)),
    ...lock.overlaps.map((each) => oneLine(`  ! ${each.holder}: ${describeOverlap(each)}`)),
    ...drift,
    '',
  ];
}

function problemLines(problem: Diagnostic): readonly string[] {
  return [
    oneLine(`${problem.file}:${problem.line}`),
    oneLine(`  ${problem.severity} ${problem.code}: ${problem.message}`),
    oneLine(`  ${problem.fix}`),
    '',
  ];
}
