import { failed, success, type Result } from '../domain/result.js';
import { readSalvageRef, salvageRef, type SalvageEntry } from '../domain/salvage.js';
import type { ProjectView } from '../domain/task-view.js';
import type { CommandContext } from './command-context.js';
import { findTask, taskName } from './find-task.js';

/** Saved work, with where it is and whose it is. The keys are those of `orange salvage list --json`. */
export type SalvageRow = SalvageEntry & {
  readonly project: string;
  /** project/branch, or null for a task that is gone. */
  readonly task: string | null;
};

/** Saved work of one project, or of all, oldest first; a repository that cannot be read is told of. */
export async function listSalvage(
  context: CommandContext,
  project: string | null,
): Promise<Result<readonly SalvageRow[]>> {
  const snapshot = await context.snapshot();
  if (!snapshot.ok) return snapshot;
  const names = new Map(snapshot.value.tasks.map((task) => [task.fields.id, taskName(task)]));
  const { salvage } = await context.repositories();
  const rows: SalvageRow[] = [];
  for (const { name, path } of chosen(snapshot.value.projects, project)) {
    const listed = await salvage.list(path);
    if (!listed.ok && project !== null) return listed;
    if (!listed.ok) context.output.note(`${path} cannot be read`);
    for (const entry of listed.ok ? listed.value : []) {
      rows.push({ ...entry, project: name, task: names.get(entry.task_id) ?? null });
    }
  }
  return success(rows);
}

/** The saved work that a person means: by its ref, `TASK/N`, or by its task, of which the latest counts. */
export async function findSalvage(
  context: CommandContext,
  name: string,
): Promise<Result<SalvageRow>> {
  const rows = await listSalvage(context, null);
  if (!rows.ok) return rows;
  const numbered = await findNumbered(context, rows.value, name);
  if (numbered !== null) return numbered;
  const taskId = await taskIdOf(context, rows.value, name);
  if (!taskId.ok) return taskId;
  const own = rows.value.filter((row) => row.task_id === taskId.value && row.dropped_at === null);
  const latest = own.toSorted((one, other) => other.number - one.number)[0];
  if (latest === undefined) return missing(name);
  if (own.length > 1) {
    const refs = own.map((row) => `${row.task_id}/${row.number}`).join(', ');
    context.output.note(`${own.length} were saved (${refs}); this is the latest.`);
  }
  return success(latest);
}

/** The id that a task's name stands for; its record may be gone, while its work is still there. */
export async function taskIdOf(
  context: CommandContext,
  rows: readonly SalvageRow[],
  name: string | undefined,
): Promise<Result<string | null>> {
  if (name === undefined) return success(null);
  if (rows.some((row) => row.task_id === name)) return success(name);
  const snapshot = await context.snapshot();
  if (!snapshot.ok) return snapshot;
  const task = findTask(snapshot.value.tasks, name);
  return task.ok ? success(task.value.fields.id) : task;
}

function chosen(projects: readonly ProjectView[], project: string | null): readonly ProjectView[] {
  return projects.filter(({ name }) => project === null || name === project);
}

/** What a ref or `TASK/N` names; null for what is the name of a task as it stands, or has no number. */
async function findNumbered(
  context: CommandContext,
  rows: readonly SalvageRow[],
  name: string,
): Promise<Result<SalvageRow> | null> {
  if (name.startsWith('refs/')) {
    const wanted = readSalvageRef(name);
    const row = rows.find(({ ref }) => wanted !== null && ref === salvageRef(wanted));
    return row === undefined ? missing(name) : success(row);
  }
  const [, task, number] = /^(.+)\/([1-9][0-9]{0,8})$/su.exec(name) ?? [];
  if (task === undefined || (await taskIdOf(context, rows, name)).ok) return null;
  const taskId = await taskIdOf(context, rows, task);
  if (!taskId.ok) return taskId.failure.kind === 'ambiguous' ? taskId : missing(name);
  const own = rows.filter((row) => row.task_id === taskId.value && row.number === Number(number));
  const row = own.find(({ dropped_at }) => dropped_at === null) ?? own[0];
  return row === undefined ? missing(name) : success(row);
}

function missing(name: string): ReturnType<typeof failed> {
  return failed({ kind: 'not-found', what: 'salvage', name });
}
