import type { Snapshot } from '../domain/task-view.js';
import { headerLine, hintLine } from './bars-view.js';
import type { Limits } from './detail-view.js';
import { formLines, helpLines, promptLine } from './dialog-view.js';
import { clipLine } from './clip-line.js';
import { clip } from './display-text.js';
import { emptyLines } from './empty-view.js';
import { type ListBody, listBody } from './list-view.js';
import { messageLines, noticeLines } from './message-view.js';
import { type Layout, layoutFor, shareBody, type Size } from './layout.js';
import { type Line, STRONG, span } from './palette.js';
import { readerLines, readerTitle } from './reader-view.js';
import type { FeedState } from './snapshot-feed.js';
import { type Dialog, isAside, type UiState } from './ui-state.js';
import { selectedIndex, visibleTasks, type VisibleTasks } from './visible-tasks.js';

/** Everything the dashboard is drawn from. */
export type ViewInput = {
  readonly feed: FeedState;
  readonly ui: UiState;
  readonly size: Size;
  readonly nowMs: number;
  readonly limits: Limits;
};

export type Body = ListBody | { readonly kind: 'page'; readonly lines: readonly Line[] };

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
  const messages = bottomLines(ui, feed, { nowMs, width: Math.max(1, size.columns) });
  const layout = layoutFor(size, messages.length);
  const visible = visibleOf(feed.snapshot, ui);
  const selected = visible.tasks[selectedIndex(visible.tasks, ui.selected)] ?? null;
  const standing = {
    task: selected,
    hasProject: (feed.snapshot?.projects.length ?? 0) > 0,
    isAside: isAside(ui.filter),
    isDaemonGone: feed.connection.kind === 'lost',
  };
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
    hints: layout.hints === 0 ? null : hintLine(ui.dialog, standing, layout.width),
  };
}

/** How many rows a page of the list, or of a text, has on this screen. */
export function pageHeight(ui: UiState, feed: FeedState, size: Size): number {
  const bottom = bottomLines(ui, feed, { nowMs: 0, width: Math.max(1, size.columns) });
  const { body } = layoutFor(size, bottom.length);
  const isReading = ui.dialog?.kind === 'reader' || ui.dialog?.kind === 'help';
  // The last row of a list that is longer than the screen says so.
  return Math.max(1, isReading ? body - 1 : shareBody(body).list - 1);
}

/** The furthest a text can be scrolled. */
export function lastTop(dialog: Dialog | null, width: number, page: number): number {
  if (dialog?.kind === 'help') return Math.max(0, helpLines(width).length - page);
  if (dialog?.kind !== 'reader') return 0;
  return Math.max(0, readerLines(dialog, width).length - page);
}

export function visibleOf(snapshot: Snapshot | null, ui: UiState): VisibleTasks {
  return snapshot === null ? { tasks: [], inScope: [], folded: 0 } : visibleTasks(snapshot, ui);
}

function bottomLines(
  ui: UiState,
  feed: FeedState,
  { nowMs, width }: { readonly nowMs: number; readonly width: number },
): readonly Line[] {
  if (ui.dialog?.kind === 'search') return [promptLine('/', ui.dialog.input, width)];
  if (ui.dialog?.kind === 'send') return [promptLine('send: ', ui.dialog.input, width)];
  const isText = ui.dialog?.kind === 'answer' || ui.dialog?.kind === 'reject';
  if (isText) return [promptLine(ui.dialog.label, ui.dialog.input, width)];
  if (ui.dialog?.kind === 'send-back') return [promptLine(ui.dialog.label, ui.dialog.input, width)];
  return [...noticeLines(ui, feed, width), ...messageLines(ui, nowMs, width)];
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
  const lines = readerLines(dialog, width).slice(top, top + page);
  return { kind: 'page', lines: [readerTitle(dialog, width), ...lines].slice(0, body) };
}
