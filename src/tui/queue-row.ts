import { priorityOf } from '../domain/extensions.js';
import type { TaskView } from '../domain/task-view.js';
import { waitsForPerson } from '../domain/inbox.js';
import { age } from './age.js';
import { clip } from './display-text.js';
import { GOOD, type Line, QUIET, type Span, STRONG, span, WARNING } from './palette.js';
import { cell, type RowView, SELECTION_MARK } from './row-view.js';
import { inBacklog } from './visible-tasks.js';
import { type Others, waitLine } from './wait-label.js';

/** How wide each column of the queue is; 0 leaves it out. */
export type QueueColumns = {
  readonly place: number;
  readonly name: number;
  readonly priority: number;
  readonly age: number;
  readonly reason: number;
};

const MARK = 2;
const PLACE = 4;
const PRIORITY = 9;
const AGE = 5;
const TITLE = 'task';
const NARROWEST_NAME = 8;
const NARROWEST_REASON = 16;

/** The reason goes before everything but the name. */
export function queueColumnsFor(width: number, nameWidth: number): QueueColumns {
  const room = Math.max(0, width - MARK);
  const widest = Math.max(nameWidth, TITLE.length) + 2;
  const name = Math.min(widest, Math.max(NARROWEST_NAME, Math.floor(width * 0.4)), room);
  let rest = room - name;
  const take = (columns: number): number => {
    if (rest - columns < NARROWEST_REASON) return 0;
    rest -= columns;
    return columns;
  };
  const [place, ageWidth, priority] = [take(PLACE), take(AGE), take(PRIORITY)];
  return { place, name, priority, age: ageWidth, reason: rest };
}

export function queueTitleLine(columns: QueueColumns): Line {
  const cells = [
    ' '.repeat(MARK),
    cell('#', columns.place),
    cell(TITLE, columns.name),
    cell('priority', columns.priority),
    cell('for', columns.age),
    cell('why it waits', columns.reason),
  ];
  return [span(cells.join('').trimEnd(), QUIET)];
}

/** A waiting task: its place in the line, and why it does not start. */
export function queueRow(input: {
  readonly task: TaskView;
  readonly name: string;
  /** null for what stands in no line. */
  readonly place: number | null;
  readonly columns: QueueColumns;
  readonly isSelected: boolean;
  readonly nowMs: number;
  readonly others: Others;
}): RowView {
  const { task, columns, isSelected, place } = input;
  const { fields } = task;
  const line: readonly Span[] = [
    span(isSelected ? `${SELECTION_MARK} ` : '  ', STRONG),
    span(cell(place?.toString() ?? '–', columns.place), QUIET),
    span(cell(input.name, columns.name), nameTone(task, isSelected)),
    span(cell(priorityOf(task.extensions), columns.priority), QUIET),
    span(cell(age(task.status_since || fields.created_at, input.nowMs), columns.age), QUIET),
    reasonSpan(task, columns.reason, input.others),
  ];
  return { key: fields.id, isSelected, line: line.filter((part) => part.text !== '') };
}

function nameTone(task: TaskView, isSelected: boolean) {
  if (isSelected) return STRONG;
  return inBacklog(task) ? QUIET : {};
}

function reasonSpan(task: TaskView, width: number, others: Others): Span {
  if (task.reasons.length === 0) return span(clip('starts now', width), GOOD);
  const tone = waitsForPerson(task) ? WARNING : QUIET;
  return span(clip(waitLine(task, others), width), tone);
}
