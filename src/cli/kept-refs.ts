import type { TaskView } from '../domain/task-view.js';
import type { CommandContext } from './command-context.js';
import { readTaskHistory } from './read-task.js';
import { oneLine } from './table.js';

/** The refs under which work of a task was ever saved, oldest first. */
export function keptRefs(context: CommandContext, task: TaskView): readonly string[] {
  const history = readTaskHistory(context, task);
  return (history.ok ? history.value : [])
    .filter(({ type }) => type === 'workspace.salvaged')
    .flatMap(({ ref }) => (typeof ref === 'string' ? [oneLine(ref)] : []));
}
