import type { TaskView } from '../domain/task-view.js';
import { detailLines, type Limits, rule } from './detail-view.js';
import { askedLines, confirmLines } from './dialog-view.js';
import { clip } from './display-text.js';
import { type Layout, shareBody } from './layout.js';
import { type Line, QUIET, span } from './palette.js';
import {
  columnsFor,
  type RowView,
  rowView,
  slotLabel,
  taskName,
  titleLine,
  widestName,
} from './row-view.js';
import type { FeedState } from './snapshot-feed.js';
import type { UiState } from './ui-state.js';
import { selectedIndex, type VisibleTasks } from './visible-tasks.js';

export type ListBody = {
  readonly kind: 'list';
  readonly titles: Line | null;
  readonly rows: readonly RowView[];
  readonly listHeight: number;
  readonly lower: readonly Line[];
};

type ListInput = {
  readonly feed: FeedState;
  readonly ui: UiState;
  readonly nowMs: number;
  readonly limits: Limits;
};

/** The rows in sight and, below them, what is told or asked about one task. */
export function listBody(input: ListInput, layout: Layout, visible: VisibleTasks): ListBody {
  const { width } = layout;
  const { ui, feed } = input;
  const index = selectedIndex(visible.tasks, ui.selected);
  const lower = lowerLines(input, visible.tasks[index], layout);
  const share = shareBody(layout.body);
  const listHeight = Math.max(1, Math.min(share.list, layout.body - share.titles - lower.length));
  const hasMore = (visible.folded > 0 || visible.tasks.length > listHeight) && listHeight > 1;
  const height = hasMore ? listHeight - 1 : listHeight;
  const start = windowStart(visible.tasks.length, index, height);
  const window = visible.tasks.slice(start, start + height);
  const form = nameForm(visible, width);
  const names = window.map((task) => taskName(task, form));
  const hasPullRequests = visible.tasks.some(({ fields }) => fields.pr_url !== null);
  const columns = columnsFor(width, widestName(visible.tasks, form), { hasPullRequests });
  const rows = window.map((task, offset) =>
    rowView({
      task,
      columns,
      name: names[offset] ?? '',
      slot: slotLabel(task, feed.snapshot?.workspaces ?? []),
      isSelected: task === visible.tasks[index],
      nowMs: input.nowMs,
    }),
  );
  const more = clip(`    ${moreText(visible, start, window.length)}`, width);
  return {
    kind: 'list',
    titles: share.titles === 0 ? null : titleLine(columns),
    rows: hasMore ? [...rows, { key: 'more', isSelected: false, line: [span(more, QUIET)] }] : rows,
    listHeight,
    lower,
  };
}

function lowerLines(input: ListInput, task: TaskView | undefined, layout: Layout): readonly Line[] {
  const { ui, feed, limits } = input;
  const { dialog } = ui;
  const share = shareBody(layout.body);
  if (dialog?.kind === 'confirm') {
    const asked = feed.snapshot?.tasks.find((view) => view.fields.id === dialog.taskId);
    if (asked === undefined || feed.snapshot === null) return [];
    const lines = confirmLines(dialog.question, asked, feed.snapshot, layout.width);
    const room = Math.max(share.detail, layout.body - share.titles - 1);
    return (lines.length < room ? [rule(layout.width), ...lines] : lines).slice(0, room);
  }
  if (dialog?.kind === 'answer') {
    const asking = feed.snapshot?.tasks.find((view) => view.fields.id === dialog.taskId);
    if (asking === undefined) return [];
    const room = Math.max(share.detail, layout.body - share.titles - 1);
    return [rule(layout.width), ...askedLines(asking, layout.width)].slice(0, room);
  }
  if (task === undefined) return [];
  return detailLines({ task, limits, width: layout.width, height: share.detail });
}

function windowStart(count: number, index: number, height: number): number {
  return Math.max(0, Math.min(index - Math.floor(height / 2), count - height));
}

function moreText({ tasks, folded }: VisibleTasks, start: number, shown: number): string {
  const below = tasks.length - start - shown;
  return [
    ...(start > 0 ? [`${start} more above`] : []),
    ...(below > 0 ? [`${below} more below`] : []),
    ...(folded > 0 ? [`${folded} more in the backlog, b shows them`] : []),
  ].join(', ');
}

function nameForm(visible: VisibleTasks, width: number): 'full' | 'branch' {
  const project = visible.tasks[0]?.fields.project;
  const isOne = visible.tasks.every((task) => task.fields.project === project);
  return width < 60 && isOne ? 'branch' : 'full';
}
