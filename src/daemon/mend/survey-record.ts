import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Survey, SurveyedLink } from '../../doctor/survey.js';
import type { Diagnostic } from '../../domain/diagnostic.js';
import { isTerminal } from '../../domain/status.js';
import type { TaskState } from '../../domain/world.js';
import type { Files } from '../../ports.js';
import type { HistoryLog } from '../../record/history-log.js';
import type { Outbox } from '../../record/outbox.js';
import type { Paths } from '../../record/paths.js';
import type { TaskStore } from '../../record/task-store.js';
import type { LiveWorld } from '../live-world.js';
import type { Depth } from './depth.js';
import type { FinishedFiles } from './finished-files.js';

export type RecordParts = {
  readonly world: LiveWorld;
  readonly files: Files;
  readonly paths: Paths;
  readonly history: HistoryLog;
  readonly outbox: Pick<Outbox, 'list'>;
  readonly store: Pick<TaskStore, 'load'>;
  readonly finished: FinishedFiles;
};

const SLICE = 16;

/** What the files beside TASK.md look like: links in worktrees, ends of histories, the outbox. */
export async function surveyRecord(
  parts: RecordParts,
  depth: Depth,
): Promise<Pick<Survey, 'unnoticed' | 'finishedClaims' | 'links' | 'tornHistories' | 'outbox'>> {
  const { world, paths, outbox, finished } = parts;
  const tasks = [...world.tasks.values()];
  const unnoticed = depth === 'whole' ? await readFiles(parts, tasks) : new Map<never, never>();
  const torn = tasks.filter(({ fields }) => world.tornHistories.has(fields.id));
  const listed = outbox.list();
  return {
    unnoticed,
    finishedClaims: await finished.findClaims(tasks),
    links: tasks.flatMap((task) => surveyLink(parts, task)),
    tornHistories: torn.map(({ fields: { project, id } }) => ({
      taskId: id,
      path: paths.historyFile(project, id),
    })),
    outbox: {
      directory: paths.outboxDir,
      damaged: listed.ok ? listed.value.damaged.map(({ file }) => file) : [],
      waiting: listed.ok ? listed.value.entries.length : 0,
    },
  };
}

async function readFiles(
  parts: RecordParts,
  tasks: readonly TaskState[],
): Promise<ReadonlyMap<string, readonly Diagnostic[]>> {
  const { world, history, paths } = parts;
  const unnoticed = new Map<string, readonly Diagnostic[]>();
  for (const [index, task] of tasks.entries()) {
    const { fields } = task;
    // Thousands of histories must not keep the daemon from everything else.
    if (index % SLICE === SLICE - 1) await nextTurn();
    const read = history.read(paths.historyFile(fields.project, fields.id));
    if (read.ok && read.value.tornTail !== null) world.tornHistories.add(fields.id);
    else world.tornHistories.delete(fields.id);
    unnoticed.set(fields.id, findUnnoticed(parts, task));
  }
  return unnoticed;
}

/**
 * Files of finished tasks are watched by nobody, and a right that was taken away shows in no stamp.
 * What else is wrong with the file of an unfinished task is seen when it changes.
 */
function findUnnoticed({ store }: RecordParts, task: TaskState): readonly Diagnostic[] {
  const { project, id, status } = task.fields;
  if (task.problems.length > 0) return [];
  const loaded = store.load(project, id);
  if (loaded.kind === 'task') return [];
  return loaded.diagnostics.filter(({ code }) => isTerminal(status) || GONE.has(code));
}

const GONE: ReadonlySet<string> = new Set(['ORA004', 'ORA006']);

function surveyLink({ files, paths }: RecordParts, task: TaskState): readonly SurveyedLink[] {
  const { id, project, workspace, status } = task.fields;
  // A worktree that is being freed, or made, has no link for a moment.
  if (workspace === null || isTerminal(status) || task.activity !== null) return [];
  // What is no worktree gets no link, and is told of as such.
  const pointer = files.stat(join(paths.workspace(workspace), '.git'));
  if (!pointer.ok || pointer.value.kind !== 'file') return [];
  const path = join(paths.workspace(workspace), 'TASK.md');
  const state = files.stat(path);
  if (!state.ok) return [];
  switch (state.value.kind) {
    case 'link':
      return state.value.target === paths.taskFile(project, id)
        ? []
        : [{ taskId: id, path, state: 'elsewhere' }];
    case 'absent':
      return [{ taskId: id, path, state: 'absent' }];
    case 'file':
      return [{ taskId: id, path, state: 'copy' }];
    case 'directory':
    case 'special':
      return [{ taskId: id, path, state: 'obstacle' }];
  }
}
