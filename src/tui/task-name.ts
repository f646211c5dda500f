import type { TaskView } from '../domain/task-view.js';
import { oneLine } from './display-text.js';

/** `project/branch`, or the branch alone where every row would start with the same project. */
export function taskName(task: TaskView, form: 'full' | 'branch' = 'full'): string {
  const branch = oneLine(task.fields.branch);
  return form === 'branch' ? branch : `${oneLine(task.fields.project)}/${branch}`;
}
