import type { DashboardContext } from './dashboard-context.js';
import { openDialog } from './dashboard-context.js';
import { findBinding, scopeOf, takesText } from './key-bindings.js';
import type { Command, Motion, PlainCommand } from './key-command.js';
import { peekAtAgent, showLocks, showProblems, viewDiff, viewTaskFile } from './open-reader.js';
import { fileStarts } from './reader-view.js';
import { type KeyPress, PASTE_ENDS, PASTE_STARTS } from './read-keys.js';
import { acceptDialog, openForm } from './submit-dialog.js';
import { startDaemon } from './start-daemon.js';
import {
  askFirst,
  finalizeTask,
  holdTask,
  openAnswer,
  openReject,
  openSend,
  openSendBack,
  openTask,
  releaseTask,
} from './task-commands.js';
import { EMPTY_INPUT, editText } from './text-input.js';
import { lastTop, pageHeight, visibleOf } from './view-model.js';
import { selectedIndex } from './visible-tasks.js';

/** Turns presses into changes of the ui-state and into requests. */
export function keyPresser(context: DashboardContext): (key: KeyPress) => void {
  let isPasting = false;
  return (key) => {
    if (key === PASTE_STARTS || key === PASTE_ENDS) isPasting = key === PASTE_STARTS;
    else if (isPasting) pastePart(context, key);
    else pressKey(context, key);
  };
}

function pressKey(context: DashboardContext, key: KeyPress): void {
  const scope = scopeOf(context.ui.get().dialog);
  if (takesText(scope) && key.text !== null) return typeText(context, key.text);
  const binding = findBinding(scope, key.name) ?? findBinding(scope, otherName(key.name));
  if (binding !== null) run(context, binding.command);
}

// Pasted text is text: its line breaks do not submit, and where nothing can be typed it does nothing.
function pastePart(context: DashboardContext, key: KeyPress): void {
  if (!takesText(scopeOf(context.ui.get().dialog))) return;
  if (key.name !== 'newline' && key.name !== 'enter') return typeText(context, key.text ?? ' ');
  context.ui.dispatch({ kind: 'edited', edit: { kind: 'newline' } });
}

// Where a line break has no meaning of its own, it is Enter.
function otherName(name: string): string {
  return name === 'newline' ? 'enter' : name;
}

function breakLine(context: DashboardContext): void {
  const { dialog } = context.ui.get();
  const isInContext = dialog?.kind === 'create' && dialog.form.focus === 'context';
  if (isInContext) context.ui.dispatch({ kind: 'edited', edit: { kind: 'newline' } });
  else acceptDialog(context);
}

function typeText({ ui }: DashboardContext, text: string): void {
  ui.dispatch({ kind: 'edited', edit: { kind: 'insert', text } });
}

function run(context: DashboardContext, command: Command): void {
  switch (command.kind) {
    case 'move':
      return move(context, command.motion);
    case 'ask':
      return askFirst(context, command.question);
    case 'edit':
      return context.ui.dispatch({ kind: 'edited', edit: command.edit });
    case 'move-field':
      return context.ui.dispatch({ kind: 'field-moved', by: command.by });
    case 'plain':
      return PLAIN_COMMANDS[command.name](context);
  }
}

const PLAIN_COMMANDS: Readonly<Record<PlainCommand, (context: DashboardContext) => void>> = {
  open: openTask,
  create: openForm,
  send: openSend,
  'send-back': openSendBack,
  answer: openAnswer,
  reject: openReject,
  inbox: ({ ui }) => ui.dispatch({ kind: 'filter-toggled', filter: 'inbox' }),
  queue: ({ ui }) => ui.dispatch({ kind: 'filter-toggled', filter: 'queue' }),
  hold: holdTask,
  release: releaseTask,
  finalize: finalizeTask,
  'start-daemon': startDaemon,
  newline: breakLine,
  view: viewTaskFile,
  diff: viewDiff,
  'next-file': (context) => moveToFile(context, 'next'),
  'previous-file': (context) => moveToFile(context, 'previous'),
  peek: peekAtAgent,
  problems: showProblems,
  locks: showLocks,
  accept: acceptDialog,
  search: openSearch,
  close: closeDialog,
  filter: ({ ui }) => ui.dispatch({ kind: 'filter-cycled' }),
  'toggle-projects': ({ ui }) => ui.dispatch({ kind: 'projects-toggled' }),
  'toggle-backlog': ({ ui }) => ui.dispatch({ kind: 'backlog-toggled' }),
  dismiss: ({ ui }) => ui.dispatch({ kind: 'dismissed' }),
  'cycle-strategy': ({ ui }) => ui.dispatch({ kind: 'strategy-cycled' }),
  help: (context) => openDialog(context, { kind: 'help', top: 0 }),
  repaint: (context) => context.repaint(),
  quit: (context) => context.quit(),
};

function openSearch(context: DashboardContext): void {
  const { search } = context.ui.get();
  const input = editText(EMPTY_INPUT, { kind: 'insert', text: search });
  openDialog(context, { kind: 'search', input, before: search });
}

function closeDialog({ ui }: DashboardContext): void {
  ui.dispatch({ kind: ui.get().dialog?.kind === 'search' ? 'search-dropped' : 'dialog-closed' });
}

function move({ ui, feed, size }: DashboardContext, motion: Motion): void {
  const { dialog, selected } = ui.get();
  const page = pageHeight(ui.get(), feed.get(), size());
  if (dialog?.kind === 'reader' || dialog?.kind === 'help') {
    const last = lastTop(dialog, Math.max(1, size().columns), page);
    const top = step(motion, { index: Math.min(dialog.top, last), page, last });
    return ui.dispatch({ kind: 'scrolled', top });
  }
  const { tasks } = visibleOf(feed.get().snapshot, ui.get());
  const index = step(motion, {
    index: selectedIndex(tasks, selected),
    page,
    last: tasks.length - 1,
  });
  ui.dispatch({ kind: 'selected', taskId: tasks[index]?.fields.id ?? null, index });
}

function moveToFile({ ui, feed, size }: DashboardContext, which: 'next' | 'previous'): void {
  const { dialog } = ui.get();
  if (dialog?.kind !== 'reader' || dialog.look !== 'diff') return;
  const width = Math.max(1, size().columns);
  const last = lastTop(dialog, width, pageHeight(ui.get(), feed.get(), size()));
  const top = Math.min(dialog.top, last);
  const starts = fileStarts(dialog, width);
  const found =
    which === 'next'
      ? starts.find((start) => start > top)
      : starts.findLast((start) => start < top);
  if (found !== undefined) ui.dispatch({ kind: 'scrolled', top: Math.min(found, last) });
}

function step(
  motion: Motion,
  at: { readonly index: number; readonly page: number; readonly last: number },
): number {
  const targets: Readonly<Record<Motion, number>> = {
    down: at.index + 1,
    up: at.index - 1,
    'page-down': at.index + at.page,
    'page-up': at.index - at.page,
    first: 0,
    last: at.last,
  };
  return Math.max(0, Math.min(targets[motion], at.last));
}
