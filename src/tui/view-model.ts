import type { Snapshot, TaskView } from '../domain/task-view.js';
import { headerLine, hintLine, messageLines } from './bars-view.js';
import { type Limits, detailLines, rule } from './detail-view.js';
import {
  confirmLines,
  formLines,
  helpLines,
  promptLine,
  readerLines,
  readerTitle,
} from './dialog-view.js';
import { clipLine } from './clip-line.js';
import { clip } from './display-text.js';
import { emptyLines } from './empty-view.js';
import { layoutFor, type Layout, shareBody, type Size } from './layout.js';
import { type Line, QUIET, STRONG, span } from './palette.js';
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
import type { Dialog, UiState } from './ui-state.js';
import { selectedIndex, visibleTasks, type VisibleTasks } from './visible-tasks.js';

/** Everything the dashboard is drawn from. */
export type ViewInput = {
  readonly feed: FeedState;
  readonly ui: UiState;
  readonly size: Size;
  readonly nowMs: number;
  readonly limits: Limits;
};

export type Body =
  | {
      readonly kind: 'list';
      readonly titles: Line | null;
      readonly rows: readonly RowView[];
      readonly listHeight: number;
      readonly lower: readonly Line[];
    }
  | { readonly kind: 'page'; readonly lines: readonly Line[] };

/** The screen, line by line; it never has more lines or columns than there is room for. */
export type DashboardView = {
  readonly width: number;
  readonly height: number;
  readonly header: Line | null;
  readonly body: Body;
  readonly bodyHeight: number;
  readonly message: readonly Line[];
  readonly messageHeight: number;
  readonly hints: Line | null;
};

export function buildView(input: ViewInput): DashboardView {
  const view = composeView(input);
  const cut = (line: Line) => clipLine(line, view.width);
  return {
    ...view,
    header: view.header === null ? null : cut(view.header),
    body: clipBody(view.body, cut),
    message: view.message.map(cut),
    hints: view.hints === null ? null : cut(view.hints),
  };
}

function clipBody(body: Body, cut: (line: Line) => Line): Body {
  if (body.kind === 'page') return { kind: 'page', lines: body.lines.map(cut) };
  return {
    ...body,
    titles: body.titles === null ? null : cut(body.titles),
    rows: body.rows.map((row) => ({ ...row, line: cut(row.line) })),
    lower: body.lower.map(cut),
  };
}

function composeView(input: ViewInput): DashboardView {
  const { feed, ui, size, nowMs } = input;
  const messages = bottomLines(ui, nowMs, Math.max(1, size.columns));
  const layout = layoutFor(size, messages.length);
  const visible = visibleOf(feed.snapshot, ui);
  const selected = visible.tasks[selectedIndex(visible.tasks, ui.selected)] ?? null;
  return {
    width: layout.width,
    height: layout.height,
    header:
      layout.header === 0
        ? null
        : headerLine({
            ui,
            snapshot: feed.snapshot,
            visible,
            connection: feed.connection,
            width: layout.width,
          }),
    body: bodyView(input, layout, visible),
    bodyHeight: layout.body,
    message: messages.slice(0, layout.message),
    messageHeight: layout.message,
    hints: layout.hints === 0 ? null : hintLine(ui.dialog, selected, layout.width),
  };
}

/** How many rows a page of the list, or of a text, has on this screen. */
export function pageHeight(ui: UiState, size: Size): number {
  const body = layoutFor(size, bottomLines(ui, 0, Math.max(1, size.columns)).length).body;
  const isReading = ui.dialog?.kind === 'reader' || ui.dialog?.kind === 'help';
  return isReading ? Math.max(1, body - 1) : shareBody(body).list;
}

/** The furthest a text can be scrolled. */
export function lastTop(dialog: Dialog | null, width: number, page: number): number {
  if (dialog?.kind === 'help') return Math.max(0, helpLines(width).length - page);
  if (dialog?.kind !== 'reader' || dialog.lines === null) return 0;
  return Math.max(0, readerLines(dialog.lines, width).length - page);
}

export function visibleOf(snapshot: Snapshot | null, ui: UiState): VisibleTasks {
  return snapshot === null ? { tasks: [], inScope: [], folded: 0 } : visibleTasks(snapshot, ui);
}

function bottomLines(ui: UiState, nowMs: number, width: number): readonly Line[] {
  if (ui.dialog?.kind === 'search') return [promptLine('/', ui.dialog.input, width)];
  if (ui.dialog?.kind === 'send') return [promptLine('send: ', ui.dialog.input, width)];
  return messageLines(ui, nowMs, width);
}

function bodyView(input: ViewInput, layout: Layout, visible: VisibleTasks): Body {
  const { dialog } = input.ui;
  const { width, body } = layout;
  if (dialog?.kind === 'create')
    return { kind: 'page', lines: formLines(dialog.form, width).slice(0, body) };
  if (dialog?.kind === 'reader' || dialog?.kind === 'help') return readingPage(dialog, width, body);
  if (visible.tasks.length === 0)
    return { kind: 'page', lines: emptyLines({ ...input, visible, width }).slice(0, body) };
  return listBody(input, layout, visible);
}

function readingPage(
  dialog: Extract<Dialog, { kind: 'reader' | 'help' }>,
  width: number,
  body: number,
): Body {
  const page = Math.max(1, body - 1);
  const top = Math.min(dialog.top, lastTop(dialog, width, page));
  if (dialog.kind === 'help') {
    const title: Line = [span(clip('Keys', width), STRONG)];
    return {
      kind: 'page',
      lines: [title, ...helpLines(width).slice(top, top + page)].slice(0, body),
    };
  }
  const lines: readonly Line[] =
    dialog.lines === null
      ? [[span('reading…', QUIET)]]
      : readerLines(dialog.lines, width)
          .slice(top, top + page)
          .map((line) => [span(line)]);
  return { kind: 'page', lines: [readerTitle(dialog, width), ...lines].slice(0, body) };
}

function listBody(input: ViewInput, layout: Layout, visible: VisibleTasks): Body {
  const { width } = layout;
  const { ui, feed } = input;
  const index = selectedIndex(visible.tasks, ui.selected);
  const lower = lowerLines(input, visible.tasks[index], layout);
  const share = shareBody(layout.body);
  const listHeight = Math.max(1, Math.min(share.list, layout.body - share.titles - lower.length));
  const hasMore = visible.folded > 0 && listHeight > 1;
  const window = windowAround(visible.tasks, index, hasMore ? listHeight - 1 : listHeight);
  const form = nameForm(visible, width);
  const names = window.map((task) => taskName(task, form));
  const columns = columnsFor(width, widestName(visible.tasks, form));
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
  const folded = clip(`    ${visible.folded} more in the backlog, b shows them`, width);
  return {
    kind: 'list',
    titles: share.titles === 0 ? null : titleLine(columns),
    rows: hasMore
      ? [...rows, { key: 'backlog', isSelected: false, line: [span(folded, QUIET)] }]
      : rows,
    listHeight,
    lower,
  };
}

function lowerLines(input: ViewInput, task: TaskView | undefined, layout: Layout): readonly Line[] {
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
  if (task === undefined) return [];
  return detailLines({ task, limits, width: layout.width, height: share.detail });
}

function windowAround(
  tasks: readonly TaskView[],
  index: number,
  height: number,
): readonly TaskView[] {
  const start = Math.max(0, Math.min(index - Math.floor(height / 2), tasks.length - height));
  return tasks.slice(start, start + height);
}

function nameForm(visible: VisibleTasks, width: number): 'full' | 'branch' {
  const project = visible.tasks[0]?.fields.project;
  const isOne = visible.tasks.every((task) => task.fields.project === project);
  return width < 60 && isOne ? 'branch' : 'full';
}
