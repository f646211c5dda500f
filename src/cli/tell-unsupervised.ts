import { neededRole } from '../domain/session.js';
import type { Snapshot } from '../domain/task-view.js';
import type { CommandContext } from './command-context.js';
import { count } from './table.js';

/** Says that nobody looks after the tasks at work, where there are any and no daemon answers. */
export async function tellUnsupervised(context: CommandContext, snapshot: Snapshot): Promise<void> {
  const tasks = unsupervisedTasks(snapshot);
  if (tasks === 0 || snapshot.isUnsupervised !== true || context.output.form === 'json') return;
  const holder = await context.daemonHolder();
  const why = holder === null ? 'No daemon runs' : `The daemon (pid ${holder.pid}) does not answer`;
  const way = holder === null ? 'orange daemon start' : 'orange daemon restart';
  context.output.note(`${why}, so nobody looks after ${count(tasks, 'task')} at work: ${way}`);
}

/** How many tasks are in a status in which an agent has to be looked after. */
export function unsupervisedTasks({ tasks }: Snapshot): number {
  return tasks.filter(({ fields }) => neededRole(fields.status) !== null).length;
}
