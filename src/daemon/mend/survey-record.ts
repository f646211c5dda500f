import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Survey, SurveyedLink } from '../../doctor/survey.js';
import { isTerminal } from '../../domain/status.js';
import type { TaskState } from '../../domain/world.js';
import type { Files } from '../../ports.js';
import type { HistoryLog } from '../../record/history-log.js';
import type { Outbox } from '../../record/outbox.js';
import type { Paths } from '../../record/paths.js';
import type { LiveWorld } from '../live-world.js';
import type { Depth } from './depth.js';

export type RecordParts = {
  readonly world: LiveWorld;
  readonly files: Files;
  readonly paths: Paths;
  readonly history: HistoryLog;
  readonly outbox: Pick<Outbox, 'list'>;
};

const SLICE = 16;

/** What the files beside TASK.md look like: links in worktrees, ends of histories, the outbox. */
export async function surveyRecord(
  parts: RecordParts,
  depth: Depth,
): Promise<Pick<Survey, 'links' | 'tornHistories' | 'outbox'>> {
  const { world, paths, outbox } = parts;
  const tasks = [...world.tasks.values()];
  if (depth === 'whole') await readHistories(parts, tasks);
  const torn = tasks.filter(({ fields }) => world.tornHistories.has(fields.id));
  const listed = outbox.list();
  return {
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

async function readHistories(
  { world, history, paths }: RecordParts,
  tasks: readonly TaskState[],
): Promise<void> {
  for (const [index, { fields }] of tasks.entries()) {
    // Thousands of histories must not keep the daemon from everything else.
    if (index % SLICE === SLICE - 1) await nextTurn();
    const read = history.read(paths.historyFile(fields.project, fields.id));
    if (read.ok && read.value.tornTail !== null) world.tornHistories.add(fields.id);
    else world.tornHistories.delete(fields.id);
  }
}

function surveyLink({ files, paths }: RecordParts, task: TaskState): readonly SurveyedLink[] {
  const { id, project, workspace, status } = task.fields;
  // A worktree that is being freed, or made, has no link for a moment.
  if (workspace === null || isTerminal(status) || task.activity !== null) return [];
  const place = files.stat(paths.workspace(workspace));
  if (!place.ok || place.value.kind !== 'directory') return [];
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
