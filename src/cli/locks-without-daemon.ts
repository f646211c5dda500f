import { listOf } from '../domain/extensions.js';
import type { LockView } from '../domain/lock.js';
import { success, type Result } from '../domain/result.js';
import type { TaskView } from '../domain/task-view.js';
import { createHistoryLog } from '../record/history-log.js';
import { replayLocks } from '../record/lock-events.js';
import { planFields } from '../record/sections.js';
import { touchingPaths } from '../record/touching-paths.js';
import type { CommandContext } from './command-context.js';
import { readTaskDocument } from './read-task.js';

/** What the record alone says is held; who is in whose way, only the daemon knows. */
export async function locksWithoutDaemon(
  context: CommandContext,
): Promise<Result<readonly LockView[]>> {
  const snapshot = await context.snapshot();
  if (!snapshot.ok) return snapshot;
  const history = createHistoryLog(context.files).read(context.paths.reservationsFile);
  if (!history.ok) return history;
  const { tasks } = snapshot.value;
  const names = new Map(tasks.map((task) => [task.fields.id, nameOf(task)]));
  const plans = tasks.flatMap((task) => planLock(context, task));
  const manual = Array.from(
    replayLocks(history.value.events).values(),
    (lock): LockView => ({
      id: lock.id,
      kind: 'manual',
      project: lock.project,
      task_id: lock.taskId,
      holder: lock.taskId === null ? (lock.name ?? '') : (names.get(lock.taskId) ?? lock.taskId),
      status: null,
      paths: lock.paths,
      since: lock.since,
      expires_at: lock.expiresAt,
      overlaps: [],
      drift: 0,
    }),
  );
  return success([...plans, ...manual]);
}

function planLock(context: CommandContext, task: TaskView): readonly LockView[] {
  const { id, project, status } = task.fields;
  if (status !== 'working' && status !== 'agent-review' && status !== 'reviewing') return [];
  const document = readTaskDocument(context, task);
  const plan = document.ok ? planFields(document.value.sections.Plan ?? '') : {};
  const paths = [...listOf(task.extensions['touching']), ...touchingPaths(plan.TOUCHING ?? '')];
  if (paths.length === 0) return [];
  const lock = { id, kind: 'plan', project, task_id: id, holder: nameOf(task), status } as const;
  const since = task.status_since;
  return [{ ...lock, paths, since, expires_at: null, overlaps: [], drift: 0 }];
}

function nameOf({ fields }: TaskView): string {
  return `${fields.project}/${fields.branch}`;
}
