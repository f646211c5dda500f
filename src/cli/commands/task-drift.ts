import type { Command } from 'commander';
import type { Drift } from '../../domain/lock.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { nameTask } from '../format-task.js';
import { withJson, type JsonOption } from '../options.js';
import { paint } from '../paint.js';
import { resolveTask } from '../resolve-name.js';
import { submit } from '../submit.js';
import { oneLine } from '../table.js';

export function addTaskDriftCommand(parent: Command, run: Run): void {
  withJson(parent.command('drift'))
    .description('which files a task has changed without having declared them')
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .action((name: string | undefined, options: JsonOption) =>
      run(options, (context) => showDrift(context, name)),
    );
}

export async function showDrift(
  context: CommandContext,
  name: string | undefined,
): Promise<Ending> {
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  const { id } = task.value.fields;
  const outcome = await submit(context, { kind: 'task.drift', taskId: id });
  if (!outcome.ok) return outcome;
  const drift = outcome.value.task?.drift ?? { paths: [], count: 0 };
  context.output.result({ id, ...drift }, () => formatDrift(nameTask(task.value), drift));
  return ENDED_WELL;
}

function formatDrift(name: string, { paths, count }: Drift): string {
  if (count === 0) return paint('dim', `${name} has changed nothing beyond what it declared.`);
  const more = count > paths.length ? [paint('dim', `… and ${count - paths.length} more`)] : [];
  return [...paths.map((path) => oneLine(path)), ...more].join('\n');
}
