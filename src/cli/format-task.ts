import { dateReason } from '../domain/date-reason.js';
import { describeMissingReviewer } from '../domain/describe-missing-reviewer.js';
import { KNOWN_EXTENSIONS } from '../domain/extensions.js';
import { type Finalization, labelRisk } from '../domain/finalization.js';
import { describePullRequestState, labelPullRequest } from '../domain/label-pull-request.js';
import { nameInReason } from '../domain/name-in-reason.js';
import { offersAction } from '../domain/offers-action.js';
import { slotOf } from '../domain/pool.js';
import { SESSION_ICONS, type SessionState } from '../domain/session.js';
import type { Status } from '../domain/status.js';
import type { AttentionView, TaskView, WaitReason } from '../domain/task-view.js';
import { paint, type Tone } from './paint.js';
import { taskName } from './find-task.js';
import { clip, formatTable, oneLine, type Cell } from './table.js';

export const ID_PREFIX_LENGTH = 8;

/** The tasks as aligned lines: icon, slot, name, status, age, summary, id. */
export function formatTaskList(
  tasks: readonly TaskView[],
  screen: { readonly columns: number; readonly nowMs: number },
): string {
  const rows = tasks.map((task): readonly Cell[] => [
    sessionCell(task),
    slotCell(task),
    clip(oneLine(taskName(task)), Number.isFinite(screen.columns) ? LONGEST_NAME : screen.columns),
    { text: task.fields.status, tone: STATUS_TONES[task.fields.status] },
    { text: formatAge(task.status_since, screen.nowMs), tone: 'dim' },
    summaryCell(task, screen.nowMs),
    { text: task.fields.id.slice(0, ID_PREFIX_LENGTH), tone: 'dim' },
  ]);
  return formatTable(rows, { columns: screen.columns, flexible: SUMMARY_COLUMN });
}

/** One task in a few words, for what a command has done. */
export function nameTask(task: TaskView): string {
  return `${oneLine(taskName(task))} (${task.fields.id.slice(0, ID_PREFIX_LENGTH)})`;
}

/** The task with project/branch instead of ids where it waits for others. */
export function nameBlockers(task: TaskView, tasks: readonly TaskView[]): TaskView {
  return { ...task, reasons: nameInReasons(task.reasons, tasks) };
}

export function nameInReasons(
  reasons: readonly WaitReason[],
  tasks: readonly TaskView[],
): readonly WaitReason[] {
  return reasons.map((reason) => ({ ...reason, message: nameBlocker(reason.message, tasks) }));
}

/** A reason to wait with project/branch instead of the id of the task that blocks. */
export function nameBlocker(reason: string, tasks: readonly TaskView[]): string {
  return nameInReason(reason, (id) => nameOf(id, tasks));
}

/** Where a task stands, with the reasons it waits. */
export function formatStanding(task: TaskView): string {
  const place = task.fields.workspace === null ? '' : ` in ${task.fields.workspace}`;
  const reasons = task.reasons.map(({ message }) => {
    const text = oneLine(message);
    return text.startsWith('waits ') ? `\n  ${text}` : `\n  waits: ${text}`;
  });
  return `${task.fields.status}${place}${reasons.join('')}`;
}

/** The fields and set extensions of a task, one per line. */
export function formatTaskFields(
  task: TaskView,
  { nowMs, tasks }: { readonly nowMs: number; readonly tasks: readonly TaskView[] },
): string {
  const { fields } = task;
  const rows: (readonly [string, string])[] = [
    ['id', fields.id],
    ['status', `${fields.status} (${formatAge(task.status_since, nowMs)})`],
    ['session', `${SESSION_ICONS[task.session]} ${task.session} ${fields.tmux_session ?? ''}`],
    ...(task.attention === null
      ? []
      : [['agent', describeAttention(task.attention, nowMs)] as const]),
    [
      'harness',
      `${fields.harness}, ${describeMissingReviewer(task) ?? `review by ${fields.review_harness}`}`,
    ],
    ['review', `round ${fields.review_round}`],
    ['crashes', String(fields.crash_count)],
    ['worktree', fields.workspace ?? '–'],
    ['created', fields.created_at],
    ['updated', fields.updated_at],
    ...(fields.pr_url === null ? [] : [['pull request', describePullRequest(task)] as const]),
    ...KNOWN_EXTENSIONS.filter((key) => isShown(task, key)).map(
      (key) => [key, extensionText(task.extensions[key], tasks)] as const,
    ),
    ...(task.finalized === undefined
      ? []
      : [['merge', describeFinalized(task.finalized)] as const]),
    ['can', task.actions.filter((action) => offersAction(task, action)).join(', ') || '–'],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(
    ([name, value]) => `${paint('dim', name.padEnd(width))}  ${oneLine(value)}`,
  );
  const title = `${paint('bold', oneLine(taskName(task)))}  ${oneLine(fields.summary)}`.trimEnd();
  return [title, ...lines].join('\n');
}

function describeFinalized({ ready, risk, action }: Finalization): string {
  return `${ready ? 'ready' : 'not ready'}, risk ${risk}, ${action}`;
}

/** The extensions that have a line of their own. */
function isShown({ extensions }: TaskView, key: string): boolean {
  return extensions[key] !== undefined && key !== 'pr_state' && key !== 'pr_checks';
}

/** Where a task's pull request is, and how it stands. */
export function describePullRequest(task: TaskView): string {
  const stands = describePullRequestState(task.extensions);
  return oneLine(`${task.fields.pr_url ?? ''}${stands === '' ? '' : ` (${stands})`}`);
}

/** How long ago something was, in few characters: 12s, 5m, 3h, 2d. */
export function formatAge(since: string, nowMs: number): string {
  const seconds = Math.floor((nowMs - Date.parse(since)) / 1000);
  if (Number.isNaN(seconds)) return '–';
  const past = Math.max(0, seconds);
  if (past < 60) return `${past}s`;
  if (past < 3600) return `${Math.floor(past / 60)}m`;
  if (past < 86_400) return `${Math.floor(past / 3600)}h`;
  return `${Math.min(9999, Math.floor(past / 86_400))}d`;
}

const SUMMARY_COLUMN = 5;
const LONGEST_NAME = 28;

const SESSION_TONES: Readonly<Record<SessionState, Tone>> = {
  active: 'green',
  crashed: 'red',
  inactive: 'dim',
};

const STATUS_TONES: Readonly<Record<Status, Tone>> = {
  pending: 'dim',
  planning: 'green',
  clarification: 'yellow',
  working: 'green',
  'agent-review': 'green',
  reviewing: 'yellow',
  stuck: 'red',
  done: 'dim',
  cancelled: 'dim',
};

function slotCell(task: TaskView): Cell {
  const { workspace, project } = task.fields;
  const slot = workspace === null ? null : slotOf(project, workspace);
  return { text: slot === null ? '' : `[${slot}]`, tone: 'dim' };
}

/** The session's icon, marked when its agent needs somebody. */
function sessionCell({ session, attention }: TaskView): Cell {
  const icon = SESSION_ICONS[session];
  if (attention === null) return { text: icon, tone: SESSION_TONES[session] };
  const mark = attention.kind === 'quiet' ? '' : '!';
  return { text: `${icon}${mark}`, tone: attention.kind === 'stalled' ? 'red' : 'yellow' };
}

function describeAttention({ kind, since, reason }: AttentionView, nowMs: number): string {
  return `${kind} for ${formatAge(since, nowMs)}: ${reason}`;
}

function summaryCell(task: TaskView, nowMs: number): Cell {
  const [problem] = task.problems;
  if (problem !== undefined) return { text: `! ${problem.message}`, tone: 'red' };
  const [reason] = task.reasons;
  const isQuiet = task.attention?.kind === 'quiet';
  const silent = isQuiet ? ` (quiet for ${formatAge(task.attention.since, nowMs)})` : '';
  const risk = task.finalized === undefined ? '' : labelRisk(task.finalized);
  const chips = [risk, labelPullRequest(task)].filter(Boolean).map((label) => `[${label}] `);
  const words = `${chips.join('')}${task.fields.summary}`;
  return `${words}${reason === undefined ? silent : ` (${dateReason(reason, nowMs).message})`}`;
}

function extensionText(value: unknown, tasks: readonly TaskView[]): string {
  if (typeof value === 'string') return nameOf(value, tasks);
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
  return isList ? value.map((item) => nameOf(item, tasks)).join(', ') : JSON.stringify(value);
}

/** A task by project/branch, or by its id when there is none. */
export function nameOf(id: string, tasks: readonly TaskView[]): string {
  const task = tasks.find(({ fields }) => fields.id === id);
  return task === undefined ? id : taskName(task);
}
