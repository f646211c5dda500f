import type { Diagnostic } from '../domain/diagnostic.js';
import { describeFailure } from '../domain/describe-failure.js';
import type { Failure } from '../domain/failure.js';
import type { HistoryEvent } from '../domain/history-event.js';
import { DEFAULT_SETTINGS } from '../domain/settings.js';
import { isStatus, isTerminal, type Status } from '../domain/status.js';
import type { TaskFields } from '../domain/task.js';
import { errorAt } from './diagnostic-codes.js';
import type { History } from './history-log.js';

/**
 * A task as its history alone tells it, for when its file cannot be read: it keeps its place, its
 * status, its worktree and its session. Null when not even its creation is there.
 */
export function fieldsFromHistory(
  place: { readonly project: string; readonly id: string },
  events: readonly HistoryEvent[],
): TaskFields | null {
  const created = events.find(({ type }) => type === 'task.created');
  if (created === undefined) return null;
  const last = events.findLast(isMove);
  const status = last === undefined ? 'pending' : statusAfter(last);
  const round = events.findLast(({ type }) => type === 'review.started')?.['round'];
  return {
    id: place.id,
    project: place.project,
    branch: lastSet(events, 'branch') ?? `orange-tasks/${place.id}`,
    ...harnessesIn(events),
    status,
    review_round: typeof round === 'number' ? round : 0,
    crash_count: 0,
    summary: lastSet(events, 'summary') ?? '',
    ...placeIn(status, events),
    pr_url: textFact(events.findLast(isAboutPullRequest), 'url'),
    created_at: created.timestamp,
    updated_at: last?.timestamp ?? created.timestamp,
  };
}

function harnessesIn(
  events: readonly HistoryEvent[],
): Pick<TaskFields, 'harness' | 'review_harness'> {
  const [first = 'claude'] = DEFAULT_SETTINGS.harnessOrder;
  return {
    harness: lastSet(events, 'harness') ?? first,
    review_harness: lastSet(events, 'review_harness') ?? 'claude',
  };
}

function placeIn(
  status: Status,
  events: readonly HistoryEvent[],
): Pick<TaskFields, 'workspace' | 'tmux_session'> {
  const isBound = !isTerminal(status) && status !== 'pending';
  const spawned = isBound ? events.findLast(({ type }) => type === 'agent.spawned') : undefined;
  return {
    workspace: textFact(spawned, 'workspace'),
    tmux_session: textFact(spawned, 'tmux_session'),
  };
}

/** The task that a history says it is of, as far as it does. */
export function ownerOf(events: readonly HistoryEvent[]): {
  readonly id: string | null;
  readonly project: string | null;
} {
  const created = events.find(({ type }) => type === 'task.created');
  return { id: textFact(created, 'task_id'), project: textFact(created, 'project') };
}

/** What to say of a folder that was copied from another task's, with its history. */
export function diagnoseForeignHistory(owner: string, file: string): Diagnostic {
  return errorAt('ORA063', {
    file,
    line: 1,
    message: `the history is that of ${owner}: the folder is a copy, and no task of its own`,
    fix: 'remove the folder; or, to make it a task of its own, remove its history.jsonl and give its TASK.md its own `id` and `branch`, `status: pending` and `workspace: null`',
  });
}

/** What is wrong with a history before its last line, line by line. */
export function diagnoseHistory(history: History, file: string): readonly Diagnostic[] {
  return history.damage.map(({ line }) => ({
    code: 'ORA081',
    severity: 'error',
    file,
    line,
    message: 'the line is no JSON object with type and timestamp',
    fix: 'restore the line from a backup or remove it; all other lines are read',
  }));
}

/** What to say of a history that cannot be read at all. */
export function diagnoseUnreadHistory(failure: Failure, file: string): Diagnostic {
  const { message, hint } = describeFailure(failure);
  return errorAt('ORA062', {
    file,
    line: 1,
    message: `the history cannot be read: ${message}`,
    fix: hint ?? 'check the file and its permissions',
  });
}

function isAboutPullRequest({ type, url }: HistoryEvent): boolean {
  return (type === 'pr.opened' || type === 'pr.updated') && typeof url === 'string';
}

function isMove({ type }: HistoryEvent): boolean {
  return type === 'status.changed' || type === 'auto.advanced';
}

function statusAfter(move: HistoryEvent): Status {
  const to = textFact(move, 'to');
  return to !== null && isStatus(to) ? to : 'pending';
}

/** What a field was last set to, as far as the creation and the updates say. */
function lastSet(events: readonly HistoryEvent[], name: string): string | null {
  const isTold = (event: HistoryEvent): boolean =>
    TELLS_FIELDS.has(event.type) && textFact(event, name) !== null;
  return textFact(events.findLast(isTold), name);
}

const TELLS_FIELDS: ReadonlySet<string> = new Set(['task.created', 'task.updated']);

function textFact(event: HistoryEvent | undefined, name: string): string | null {
  const value = event?.[name];
  return typeof value === 'string' ? value : null;
}
