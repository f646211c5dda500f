import { baseOf } from '../domain/extensions.js';
import type { Observation } from '../domain/observation.js';
import type { Execution } from './execution.js';

/** What a task has changed, committed or not; null where that cannot be told now. */
export async function measureDrift(
  {
    findTask,
    findProject,
    repositories,
    workspacePath,
  }: Pick<Execution, 'findTask' | 'findProject' | 'repositories' | 'workspacePath'>,
  taskId: string,
): Promise<Observation | null> {
  const task = findTask(taskId);
  const project = task === null ? null : findProject(task.fields.project);
  if (task === null || project === null) return null;
  const { workspace } = task.fields;
  const changed = await repositories.changedPaths({
    repository: project.path,
    branch: task.fields.branch,
    base: baseOf(task.extensions) ?? project.default_branch,
    worktree: workspace === null ? null : workspacePath(workspace),
  });
  return changed.ok ? { kind: 'diff-seen', taskId, paths: changed.value } : null;
}
