import { baseOf } from '../domain/extensions.js';
import type { Observation } from '../domain/observation.js';
import type { Execution } from './execution.js';

/** What the commits of a task have changed; null where that cannot be told now. */
export async function measureDrift(
  {
    findTask,
    findProject,
    repositories,
  }: Pick<Execution, 'findTask' | 'findProject' | 'repositories'>,
  taskId: string,
): Promise<Observation | null> {
  const task = findTask(taskId);
  const project = task === null ? null : findProject(task.fields.project);
  if (task === null || project === null) return null;
  const changed = await repositories.changedPaths({
    repository: project.path,
    branch: task.fields.branch,
    base: baseOf(task.extensions) ?? project.default_branch,
  });
  return changed.ok ? { kind: 'diff-seen', taskId, paths: changed.value } : null;
}
