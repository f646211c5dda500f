import { createLaunchRecords } from '../adapters/launch-records.js';
import { createProcessTable } from '../adapters/process-table.js';
import type { Diagnostic } from '../domain/diagnostic.js';
import type { HistoryEvent } from '../domain/history-event.js';
import { describeNeed, needFor } from '../domain/describe-need.js';
import { blockersOf } from '../domain/extensions.js';
import { describeExit, sessionState, WORKER_WINDOW, type SessionState } from '../domain/session.js';
import { isTerminal, type Status } from '../domain/status.js';
import { allowedActions } from '../domain/task-actions.js';
import { isProjectName, isTaskId } from '../domain/task-id.js';
import { idsIn } from '../domain/task-relations.js';
import type { TaskView } from '../domain/task-view.js';
import type { TaskFields } from '../domain/task.js';
import { diagnoseHistory, fieldsFromHistory } from '../record/fields-from-history.js';
import { lastFinalization } from '../domain/read-finalization.js';
import { openQuestions } from '../domain/section.js';
import { createHistoryLog } from '../record/history-log.js';
import type { Paths } from '../record/paths.js';
import { readQuestions } from '../record/questions.js';
import { readSections } from '../record/sections.js';
import type { LoadedTask } from '../record/task-store.js';
import type { Files } from './command-context.js';
import { recordedReasons } from './recorded-reasons.js';

type Home = { readonly files: Files; readonly paths: Paths };
type Readable = Extract<LoadedTask, { kind: 'task' }>;
type Unreadable = Extract<LoadedTask, { kind: 'unreadable' }>;

type Viewer = {
  readonly home: Home;
  readonly problems: Diagnostic[];
  statusOf(id: string): Status | undefined;
  /** Whom a pending task waits for. */
  blocking(id: string): readonly string[];
  sessionOf(fields: TaskFields): SessionState;
  /** How the worker of a task ended, when it did, and not in good order. */
  crashOf(id: string): string | null;
};

/** Tasks as the record shows them, and what is wrong with files that no task answers for. */
export function viewTasks(
  home: Home,
  loaded: readonly LoadedTask[],
): { readonly tasks: readonly TaskView[]; readonly problems: readonly Diagnostic[] } {
  const stored = loaded.filter((task) => task.kind === 'task');
  const statuses = new Map(stored.map(({ record }) => [record.fields.id, record.fields.status]));
  const pending = stored.filter(({ record }) => record.fields.status === 'pending');
  const blockers = new Map(
    pending.map(({ record }) => [record.fields.id, blockersOf(record.extensions)]),
  );
  const { runDir } = home.paths;
  const launches = createLaunchRecords({
    runDir,
    files: home.files,
    processes: createProcessTable(),
  });
  const problems: Diagnostic[] = [];
  const viewer: Viewer = {
    home,
    problems,
    statusOf: (id) => statuses.get(id),
    blocking: (id) => blockers.get(id) ?? [],
    sessionOf: ({ id, status, tmux_session: tmuxSession }) => {
      const agents = tmuxSession === null ? null : launches.list(id);
      const isAlive = agents?.ok === true && agents.value.some((agent) => agent.isAlive);
      return sessionState({ tmuxSession, isAlive, status });
    },
    crashOf: (id) => {
      const read = launches.read(id, WORKER_WINDOW);
      const exit = (read.ok ? read.value?.exit : null) ?? null;
      return exit === null || exit.status === 0 ? null : describeExit(exit);
    },
  };
  const tasks = loaded.flatMap((task) =>
    task.kind === 'task' ? [viewReadable(viewer, task)] : viewUnreadable(viewer, task),
  );
  return { tasks, problems };
}

function viewReadable(viewer: Viewer, task: Readable): TaskView {
  const { fields, extensions } = task.record;
  const session = viewer.sessionOf(fields);
  const isAsking = fields.status === 'clarification';
  const { sections } = readSections(task.record.body);
  const questions = isAsking ? readQuestions(sections) : [];
  const mentions = idsIn(sections.Context ?? null);
  // The history of a task that is over is not worth reading.
  const events = isTerminal(fields.status) ? [] : readEvents(viewer, fields);
  const finalized = lastFinalization(events);
  return {
    fields,
    extensions,
    session,
    actions: allowedActions(fields.status, session),
    reasons: recordedReasons({
      task: task.record,
      questions,
      events,
      crash: session === 'crashed' ? viewer.crashOf(fields.id) : null,
      isActive: session === 'active',
      statusOf: (id) => viewer.statusOf(id),
      blocking: (id) => viewer.blocking(id),
    }),
    // Only a daemon watches how agents get on.
    attention: null,
    questions: openQuestions(questions),
    problems: task.diagnostics,
    status_since: statusSince(fields, events),
    ...(finalized === null ? {} : { finalized }),
    ...(mentions.length === 0 ? {} : { mentions }),
  };
}

/** A task whose file cannot be read is shown by its history. */
function viewUnreadable(viewer: Viewer, task: Unreadable): readonly TaskView[] {
  const events = readEvents(viewer, task);
  const fields = fieldsFromHistory(task, events);
  if (fields === null) {
    viewer.problems.push(...task.diagnostics);
    return [];
  }
  const session = viewer.sessionOf(fields);
  const status_since = fields.updated_at;
  const [problem] = task.diagnostics;
  const isOver = isTerminal(fields.status) || problem === undefined;
  const reasons = isOver ? [] : [describeNeed(needFor(problem), fields)];
  const view = { fields, extensions: {}, session, actions: [], questions: [], status_since };
  return [{ ...view, reasons, attention: null, problems: task.diagnostics }];
}

function statusSince(fields: TaskFields, events: readonly HistoryEvent[]): string {
  const { status, updated_at: updated, created_at: created } = fields;
  if (isTerminal(status)) return updated;
  const isEntry = (event: HistoryEvent): boolean =>
    (event.type === 'status.changed' || event.type === 'auto.advanced') && event['to'] === status;
  return events.findLast(isEntry)?.timestamp ?? created;
}

function readEvents(
  { home, problems }: Viewer,
  { project, id }: { readonly project: string; readonly id: string },
): readonly HistoryEvent[] {
  if (!isProjectName(project) || !isTaskId(id)) return [];
  const file = home.paths.historyFile(project, id);
  const history = createHistoryLog(home.files).read(file);
  if (!history.ok) return [];
  problems.push(...diagnoseHistory(history.value, file));
  return history.value.events;
}
