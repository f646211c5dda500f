import { baseOf } from '../domain/extensions.js';
import { success, type Result } from '../domain/result.js';
import type { TaskView } from '../domain/task-view.js';
import type { CommandContext } from './command-context.js';
import { confirm } from './confirm.js';
import { nameTask } from './format-task.js';
import { readTaskHistory } from './read-task.js';
import { requireProject } from './resolve-name.js';
import { oneLine } from './table.js';

/** What a person agreed to: a merge into this branch, as far as it is known. */
type AgreedMerge = { readonly base: string | null };

/** Asks before a task's work goes into its base. Null: the person said no. */
export async function confirmMerge(
  context: CommandContext,
  task: TaskView,
  isConfirmed: boolean,
): Promise<Result<AgreedMerge | null>> {
  const project = await requireProject(context, task.fields.project);
  const base = baseOf(task.extensions) ?? (project.ok ? project.value.default_branch : null);
  const agreed = await confirm(context, {
    action: `merge ${nameTask(task)}${base === null ? '' : ` into ${base}`}`,
    isConfirmed,
  });
  if (!agreed.ok) return agreed;
  return success(agreed.value ? { base } : null);
}

/** Where the work of a task has gone, with the commit it became: `merged shop/w2 into main as 1a2b…`. */
export function describeMerged(
  context: CommandContext,
  task: TaskView,
  { base }: AgreedMerge,
): string {
  const history = readTaskHistory(context, task);
  const merged = history.ok ? history.value.findLast(({ type }) => type === 'task.merged') : null;
  const commit = merged?.['commit'];
  const into = base === null ? '' : ` into ${oneLine(base)}`;
  const as = typeof commit === 'string' ? ` as ${oneLine(commit).slice(0, 12)}` : '';
  return `merged ${nameTask(task)}${into}${as}`;
}
