import { isProjectName, isTaskId } from '../domain/task-id.js';
import type { Files } from '../ports.js';
import type { Paths } from '../record/paths.js';

export type TaskPlace =
  | { readonly kind: 'found'; readonly project: string }
  /** No project has a folder of it. */
  | { readonly kind: 'absent' }
  /** The machine does not let anybody look. */
  | { readonly kind: 'unknown' };

/** Where a task's folder is, whether or not the task can be loaded. */
export function findTaskProject(
  { files, paths }: { readonly files: Files; readonly paths: Paths },
  taskId: string,
): TaskPlace {
  if (!isTaskId(taskId)) return { kind: 'absent' };
  const projects = files.list(paths.tasksDir);
  if (!projects.ok) return { kind: 'unknown' };
  let place: TaskPlace = { kind: 'absent' };
  for (const project of projects.value.filter(isProjectName)) {
    const folder = files.stat(paths.taskDir(project, taskId));
    if (!folder.ok) place = { kind: 'unknown' };
    else if (folder.value.kind === 'directory') return { kind: 'found', project };
  }
  return place;
}
