import { dateReason } from '../domain/date-reason.js';
import { waitsSince } from '../domain/inbox.js';
import { labelPullRequest } from '../domain/label-pull-request.js';
import { SESSION_ICONS } from '../domain/session.js';
import type { Snapshot, TaskView } from '../domain/task-view.js';
import { age } from './age.js';
import { chipsOf, pullRequestTone } from './chips.js';
import { clipLine } from './clip-line.js';
import { columnsOf, fit, oneLine } from './display-text.js';
import {
  BAD,
  type Line,
  QUIET,
  SESSION_TONES,
  type Span,
  STATUS_TONES,
  STRONG,
  span,
  WARNING,
} from './palette.js';
import { inBacklog } from './visible-tasks.js';
import { nameOthers, type Others } from './wait-label.js';

/** How wide each column is; 0 leaves it out. */
export type Columns = {
  readonly slot: number;
  readonly name: number;
  readonly status: number;
  readonly age: number;
  readonly harness: number;
  readonly pullRequest: number;
  readonly summary: number;
};

/** What the last column has: what a task is about, or what it wants of a person. */
export type Telling = 'summary' | 'reason';

export type RowView = { readonly key: string; readonly isSelected: boolean; readonly line: Line };

export const SELECTION_MARK = '❯';
const LEAD = 4;
const SLOT = 5;
const STATUS = 14;
const AGE = 5;
const HARNESS = 10;
const PULL_REQUEST = 15;
const WIDE = 100;
const NARROWEST_NAME = 8;
const LONGEST_NAME = 120;
const NARROWEST_SUMMARY = 16;

/**
 * Shares a line out: icon and name always, then status, age, workspace, summary, harness as they
 * fit. Pull requests have a column on a wide screen, if there are any.
 */
export function columnsFor(
  width: number,
  nameWidth: number,
  { hasPullRequests }: { readonly hasPullRequests: boolean } = { hasPullRequests: false },
): Columns {
  const room = width - LEAD;
  const status = room >= NARROWEST_NAME + STATUS ? STATUS : 0;
  const ageWidth = room - status >= NARROWEST_NAME + AGE ? AGE : 0;
  const slot = room - status - ageWidth >= NARROWEST_NAME + SLOT ? SLOT : 0;
  const pullRequest = hasPullRequests && width >= WIDE ? PULL_REQUEST : 0;
  const rest = room - status - ageWidth - slot - pullRequest;
  const harness = width >= 120 ? HARNESS : 0;
  const wanted = Math.min(nameWidth + 2, Math.max(NARROWEST_NAME, Math.floor(width * 0.45)));
  const summary = rest - harness - wanted >= NARROWEST_SUMMARY ? rest - harness - wanted : 0;
  const name = summary > 0 ? wanted : Math.max(0, rest - harness);
  return { slot, name, status, age: ageWidth, harness, pullRequest, summary };
}

export function titleLine(columns: Columns, telling: Telling = 'summary'): Line {
  const cells = [
    ' '.repeat(LEAD),
    cell('ws', columns.slot),
    cell('task', columns.name),
    cell('status', columns.status),
    cell('for', columns.age),
    cell('harness', columns.harness),
    cell('PR', columns.pullRequest),
    cell(telling === 'reason' ? 'why it waits' : 'summary', columns.summary),
  ];
  return [span(cells.join('').trimEnd(), QUIET)];
}

export function rowView(input: {
  readonly task: TaskView;
  readonly name: string;
  readonly slot: string;
  readonly columns: Columns;
  readonly isSelected: boolean;
  readonly nowMs: number;
  readonly others: Others;
  readonly telling?: Telling;
}): RowView {
  const { task, columns, isSelected } = input;
  const { fields } = task;
  const quiet = inBacklog(task) ? QUIET : {};
  const line: Span[] = [
    span(isSelected ? `${SELECTION_MARK} ` : '  ', STRONG),
    ...sessionSpans(task),
    span(cell(input.slot, columns.slot), QUIET),
    span(cell(input.name, columns.name), isSelected ? STRONG : quiet),
    span(cell(fields.status, columns.status), { ...STATUS_TONES[fields.status], ...quiet }),
    ageSpan(task, columns.age, input),
    span(cell(oneLine(fields.harness), columns.harness), QUIET),
    pullRequestSpan(task, columns.pullRequest),
    ...(input.telling === 'reason' ? reasonSpans : summarySpans)(task, columns, input),
  ];
  return { key: fields.id, isSelected, line: line.filter((part) => part.text !== '') };
}

function pullRequestSpan(task: TaskView, width: number): Span {
  return span(cell(oneLine(labelPullRequest(task)), width), pullRequestTone(task));
}

/** The summary behind its chips; a pull request is one where it has no column of its own. */
function summarySpans(
  task: TaskView,
  columns: Columns,
  { others }: { readonly others: Others },
): readonly Span[] {
  if (columns.summary === 0) return [];
  const chips = chipsOf(task, others, { hasPullRequest: columns.pullRequest === 0 });
  const words = span(oneLine(task.fields.summary), inBacklog(task) ? QUIET : {});
  return clipLine([...chips, words], columns.summary - 1);
}

/** Everything that a person has to settle; what is wrong with the file where that is all there is. */
function reasonSpans(
  task: TaskView,
  { summary: width }: Columns,
  { others, nowMs }: { readonly others: Others; readonly nowMs: number },
): readonly Span[] {
  if (width === 0) return [];
  const waits = task.reasons
    .filter(({ settle }) => settle !== undefined)
    .map((reason) => dateReason(reason, nowMs));
  const messages = (waits.length > 0 ? waits : task.problems).map(({ message }) => message);
  const text = messages.map((each) => oneLine(nameOthers(each, others, task.fields.project)));
  return clipLine([span(text.join(' · '), WARNING)], width - 1);
}

/** The session's icon, with a mark beside it when its agent needs somebody. */
function sessionSpans({ session, attention }: TaskView): readonly Span[] {
  const icon = SESSION_ICONS[session];
  if (attention === null) return [span(`${icon} `, SESSION_TONES[session])];
  const tone = attention.kind === 'stalled' ? BAD : WARNING;
  return [span(icon, tone), span(attention.kind === 'quiet' ? ' ' : '!', tone)];
}

/**
 * How long the task has its status; of an agent that gives no sign, how long it has been so; where
 * it is told why a task waits, how long it has waited for that.
 */
function ageSpan(
  task: TaskView,
  width: number,
  { telling, nowMs }: { readonly telling?: Telling; readonly nowMs: number },
): Span {
  const { attention, fields, status_since } = task;
  const waiting = telling === 'reason' ? waitsSince(task) : null;
  const since = waiting ?? attention?.since ?? (status_since || fields.created_at);
  return span(cell(age(since, nowMs), width), attention === null ? QUIET : WARNING);
}

/** The workspace's number as `[n]`, empty while the task has none. */
export function slotLabel(task: TaskView, workspaces: Snapshot['workspaces']): string {
  const { workspace } = task.fields;
  if (workspace === null) return '';
  const slot = workspaces.find((view) => view.workspace === workspace)?.slot;
  const number = slot?.toString() ?? /--(\d{1,4})$/u.exec(workspace)?.[1];
  return number === undefined ? '' : `[${number}]`;
}

/** Roughly the widest name of a list; asked of every task, in sight or not, so that columns stay put. */
export function widestName(tasks: readonly TaskView[], form: 'full' | 'branch'): number {
  return tasks.reduce((widest, { fields }) => {
    const name = form === 'branch' ? fields.branch : `${fields.project}/${fields.branch}`;
    return Math.max(widest, columnsOf(name.slice(0, LONGEST_NAME)));
  }, 0);
}

/** A text of `width` columns, the last one blank, so that neighbours never touch. */
export function cell(text: string, width: number): string {
  return width === 0 ? '' : `${fit(text, width - 1)} `;
}
