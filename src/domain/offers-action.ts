import { holdOf } from './extensions.js';
import type { TaskAction } from './task-actions.js';
import type { TaskView } from './task-view.js';

/** Whether an action is worth offering: the table also lets a held task be held, and any be released. */
export function offersAction(task: TaskView, action: TaskAction): boolean {
  if (!task.actions.includes(action)) return false;
  const isHeld = holdOf(task.extensions) !== null;
  return action === 'hold' ? !isHeld : action !== 'release' || isHeld;
}
