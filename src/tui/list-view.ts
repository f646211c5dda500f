import type { TaskView } from '../domain/task-view.js';
import { detailLines, type Limits, rule } from './detail-view.js';
import { askedLines, confirmLines } from './dialog-view.js';
import { clip } from './display-text.js';
import { type Layout, shareBody } from './layout.js';
import { type Line, QUIET, span } from './palette.js';
import { queueColumnsFor, queueRow, queueTitleLine } from './queue-row.js';
import { columnsFor, type RowView, rowView, slotLabel, titleLine, widestName } from './row-view.js';
import type { FeedState } from './snapshot-feed.js';
import type { UiState } from './ui-state.js';
import { taskName } from './task-name.js';
import { queuePlaces, selectedIndex, type VisibleTasks } from './visible-tasks.js';

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
  const { ui } = input;
  const table = { ...input, width, visible };
  const index = selectedIndex(visible.tasks, ui.selected);
  const share = shareBody(layout.body);
  const needed = visible.tasks.length + (visible.folded > 0 ? 1 : 0);
  // Rows that a short list does not need are lent to what is told below it.
  const spare = share.detail === 0 ? 0 : Math.max(0, share.list - needed);
  const lower = lowerLines(input, visible.tasks[index], layout, share.detail + spare);
  const listHeight = Math.max(1, Math.min(share.list, layout.body - share.titles - lower.length));
  const hasMore = (visible.folded > 0 || visible.tasks.length > listHeight) && listHeight > 1;
  const height = hasMore ? listHeight - 1 : listHeight;
  const start = windowStart(visible.tasks.length, index, height);
  const window = visible.tasks.slice(start, start + height);
  const { titles, rowOf } = ui.filter === 'queue' ? queueTable(table) : taskTable(table);
  const rows = window.map((task) => rowOf(task, task === visible.tasks[index]));
  const more = clip(`    ${moreText(visible, start, window.length)}`, width);
  return {
    kind: 'list',
    titles: share.titles === 0 ? null : titles,
    rows: hasMore ? [...rows, { key: 'more', isSelected: false, line: [span(more, QUIET)] }] : rows,
    listHeight,
    lower,
  };
}

function lowerLines(
  input: ListInput,
  task: TaskView | undefined,
  layout: Layout,
  height: number,
): readonly Line[] {
  const { ui, feed, limits, nowMs } = input;
  const { dialog } = ui;
  const share = shareBody(layout.body);
  const others = feed.snapshot?.tasks ?? [];
  if (dialog?.kind === 'confirm') {
    const asked = others.find((view) => view.fields.id === dialog.taskId);
    if (asked === undefined || feed.snapshot === null) return [];
    const lines = confirmLines(dialog.question, asked, feed.snapshot, layout.width);
    const room = Math.max(share.detail, layout.body - share.titles - 1);
    return (lines.length < room ? [rule(layout.width), ...lines] : lines).slice(0, room);
  }
  if (dialog?.kind === 'answer') {
    const asking = others.find((view) => view.fields.id === dialog.taskId);
    if (asking === undefined) return [];
    const room = Math.max(share.detail, layout.body - share.titles - 1);
    return [rule(layout.width), ...askedLines(asking, layout.width)].slice(0, room);
  }
  if (task === undefined) return [];
  return detailLines({ task, others, limits, width: layout.width, height, nowMs });
}

type TableInput = Pick<ListInput, 'feed' | 'ui' | 'nowMs'> & {
  readonly width: number;
  readonly visible: VisibleTasks;
};

type Table = {
  readonly titles: Line;
  readonly rowOf: (task: TaskView, isSelected: boolean) => RowView;
};

function taskTable({ feed, ui, visible, width, nowMs }: TableInput): Table {
  const telling = ui.filter === 'inbox' ? 'reason' : 'summary';
  const form = nameForm(visible, width < (telling === 'reason' ? 100 : 60));
  const hasPullRequests = visible.tasks.some(({ fields }) => fields.pr_url !== null);
  const columns = columnsFor(width, widestName(visible.tasks, form), { hasPullRequests });
  const { tasks: others = [], workspaces = [] } = feed.snapshot ?? {};
  return {
    titles: titleLine(columns, telling),
    rowOf: (task, isSelected) => {
      const [name, slot] = [taskName(task, form), slotLabel(task, workspaces)];
      return rowView({ task, columns, name, slot, isSelected, nowMs, others, telling });
    },
  };
}

function queueTable({ feed, visible, width, nowMs }: TableInput): Table {
  // What the reason is cut short by, the project need not take as well.
  const form = nameForm(visible, width < 100);
  const columns = queueColumnsFor(width, widestName(visible.tasks, form));
  const others = feed.snapshot?.tasks ?? [];
  const places = feed.snapshot === null ? null : queuePlaces(feed.snapshot, visible.inScope);
  return {
    titles: queueTitleLine(columns),
    rowOf: (task, isSelected) => {
      const place = places?.get(task.fields.id) ?? null;
      return queueRow({
        task,
        columns,
        name: taskName(task, form),
        place,
        isSelected,
        nowMs,
        others,
      });
    },
  };
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

function nameForm(visible: VisibleTasks, isNarrow: boolean): 'full' | 'branch' {
  const project = visible.tasks[0]?.fields.project;
  const isOne = visible.tasks.every((task) => task.fields.project === project);
  return isNarrow && isOne ? 'branch' : 'full';
}
