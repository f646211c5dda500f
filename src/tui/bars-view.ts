import { offersAction } from '../domain/offers-action.js';
import type { Snapshot, TaskView } from '../domain/task-view.js';
import { clip, columnsOf, oneLine } from './display-text.js';
import { KEY_BINDINGS, scopeOf } from './key-bindings.js';
import type { KeyBinding, PlainCommand } from './key-command.js';
import { keyLabel } from './key-label.js';
import {
  BAD,
  BRAND,
  GOOD,
  KEY,
  type Line,
  PLAIN,
  QUIET,
  type Span,
  span,
  WARNING,
} from './palette.js';
import type { Connection } from './snapshot-feed.js';
import { type Dialog, isAside, type UiState } from './ui-state.js';
import { needsPerson, type VisibleTasks } from './visible-tasks.js';

type HeaderInput = {
  readonly ui: UiState;
  readonly snapshot: Snapshot | null;
  readonly visible: VisibleTasks;
  readonly connection: Connection;
  readonly width: number;
};

/** Name, scope, counts and filter on the left; the connection on the right. */
export function headerLine(input: HeaderInput): Line {
  const { width } = input;
  const state = connectionSpan(input.connection);
  const room = width - columnsOf(state.text) - 1;
  if (room < 7) return [span(clip('orange', width), BRAND)];
  const left = joinSpans(headerParts(input), '  ', room);
  const used = left.reduce((sum, part) => sum + columnsOf(part.text), 0);
  return [...left, span(' '.repeat(room - used + 1)), state];
}

function headerParts({
  ui,
  snapshot,
  visible,
}: Pick<HeaderInput, 'ui' | 'snapshot' | 'visible'>): readonly Span[] {
  const needing = visible.inScope.filter(needsPerson).length;
  const running = visible.inScope.filter((task) => task.session === 'active').length;
  const filter = [span(`filter: ${ui.filter}`, QUIET)];
  // An unusual look goes before what one could do without.
  const [first, later] = isAside(ui.filter) ? [filter, []] : [[], filter];
  return [
    span('orange', BRAND),
    ...first,
    span(ui.isEveryProject ? 'all projects' : oneLine(ui.homeProject ?? ''), PLAIN),
    ...(needing > 0 ? [span(`${needing} need${needing === 1 ? 's' : ''} you`, WARNING)] : []),
    span(`${running} running`, running > 0 ? GOOD : QUIET),
    ...later,
    ...(ui.search === '' ? [] : [span(`/${oneLine(ui.search)}`, KEY)]),
    ...poolSpan(snapshot, ui),
    ...problemsSpan(snapshot?.problems.length ?? 0),
  ];
}

function problemsSpan(count: number): readonly Span[] {
  return count === 0 ? [] : [span(`! ${count} problem${count === 1 ? '' : 's'}`, BAD)];
}

/** What decides which keys do something now. */
export type Standing = {
  readonly task: TaskView | null;
  readonly hasProject: boolean;
  readonly isDaemonGone: boolean;
  /** Whether Esc leads back to the list. */
  readonly isAside: boolean;
};

/** The last line of the screen: keys that do something now. */
export function hintLine(dialog: Dialog | null, standing: Standing, width: number): Line {
  const scope = scopeOf(dialog);
  const isDiff = dialog?.kind === 'reader' && dialog.look === 'diff';
  const offered = KEY_BINDINGS.filter(
    (binding) =>
      binding.scope === scope &&
      binding.hint !== undefined &&
      isOffered(binding, { ...standing, isDiff }),
  );
  // The way back, help and quit come last and are never the ones to go.
  const hints = offered.map((binding) => hintSpans(binding, standing));
  const keptLast = scope === 'list' && standing.isAside ? KEPT_HINTS + 1 : KEPT_HINTS;
  const last = hints.slice(-keptLast);
  const kept = takeWhileFits(hints.slice(0, -keptLast), width - widthOf(last));
  return takeWhileFits([...kept, ...last], width).flatMap((hint, index) =>
    index === 0 ? hint : [span(HINT_GAP), ...hint],
  );
}

const KEPT_HINTS = 2;
const HINT_GAP = '  ';

function hintSpans(binding: KeyBinding, standing: Standing): Line {
  return [
    span(keyLabel(binding.keys[0] ?? ''), KEY),
    span(` ${hintWord(binding, standing)}`, QUIET),
  ];
}

function widthOf(hints: readonly Line[]): number {
  return hints
    .flat()
    .reduce((sum, part) => sum + columnsOf(part.text), hints.length * HINT_GAP.length);
}

function takeWhileFits(hints: readonly Line[], width: number): readonly Line[] {
  const count = hints.findIndex(
    (_, index) => widthOf(hints.slice(0, index + 1)) - HINT_GAP.length > width,
  );
  return count === -1 ? hints : hints.slice(0, count);
}

type Offer = Standing & { readonly isDiff: boolean };

function isOffered({ needs, command }: KeyBinding, standing: Offer): boolean {
  const { task } = standing;
  if (needs !== undefined) return task !== null && offersAction(task, needs);
  return command.kind !== 'plain' || (OFFERED[command.name]?.(standing) ?? true);
}

const OFFERED: Partial<Record<PlainCommand, (standing: Offer) => boolean>> = {
  open: ({ isDaemonGone, task }) => isDaemonGone || openingAction(task) !== null,
  'send-back': ({ task }) => task !== null && sendBackAction(task) !== null,
  create: ({ hasProject }) => hasProject,
  dismiss: (standing) => standing.isAside,
  'next-file': ({ isDiff }) => isDiff,
  diff: ({ task }) => task !== null && task.fields.status !== 'pending',
  view: ({ task }) => task !== null,
  peek: ({ task }) => task?.session === 'crashed' || task?.actions.includes('attach') === true,
};

function hintWord(binding: KeyBinding, { task, isDaemonGone }: Standing): string {
  const hint = binding.hint ?? '';
  const name = binding.command.kind === 'plain' ? binding.command.name : null;
  if (name === 'open') return isDaemonGone ? 'start daemon' : (openingAction(task) ?? hint);
  if (name === 'send-back' && task?.fields.status === 'agent-review') return 'fail review';
  return hint;
}

/** What Enter does with a task: to its agent if it runs, else start it, else start it again. */
export function openingAction(task: TaskView | null): 'attach' | 'spawn' | 'respawn' | null {
  return OPENING.find((action) => task?.actions.includes(action)) ?? null;
}

/** How a task goes back to its worker: by a verdict where its work is judged, else by words alone. */
export function sendBackAction(task: TaskView): 'review' | 'request-changes' | null {
  return SENDING_BACK.find((action) => task.actions.includes(action)) ?? null;
}

const SENDING_BACK = ['review', 'request-changes'] as const;
const OPENING = ['attach', 'spawn', 'respawn'] as const;

/** Whether a daemon lives and does not answer. */
function isSilent({ failure }: Extract<Connection, { kind: 'lost' }>): boolean {
  return failure?.kind === 'daemon-unreachable' && failure.pid !== undefined;
}

function connectionSpan(connection: Connection): Span {
  switch (connection.kind) {
    case 'live':
      return span('live', GOOD);
    case 'connecting':
      return span('connecting…', QUIET);
    case 'lost':
      return span(isSilent(connection) ? 'daemon silent' : 'daemon stopped', BAD);
  }
}

function poolSpan(snapshot: Snapshot | null, ui: UiState): readonly Span[] {
  const projects =
    snapshot?.projects.filter((project) => ui.isEveryProject || project.name === ui.homeProject) ??
    [];
  const size = projects.reduce((sum, project) => sum + project.pool_size, 0);
  if (size === 0) return [];
  const names = new Set(projects.map((project) => project.name));
  const bound =
    snapshot?.workspaces.filter((view) => view.status === 'bound' && names.has(view.project))
      .length ?? 0;
  return [span(`pool ${bound}/${size}`, bound >= size ? WARNING : QUIET)];
}

function joinSpans(parts: readonly Span[], gap: string, room: number): readonly Span[] {
  const line: Span[] = [];
  let left = room;
  for (const part of parts) {
    const text = `${line.length === 0 ? '' : gap}${part.text}`;
    if (columnsOf(text) > left) break;
    line.push(span(text, part.tone));
    left -= columnsOf(text);
  }
  return line;
}
