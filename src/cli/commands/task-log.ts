import type { Command } from 'commander';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { formatEvent } from '../format-event.js';
import { parseWhole, withJson, type JsonOption } from '../options.js';
import { resolveTask } from '../resolve-name.js';

type LogOptions = JsonOption & { readonly lines?: number };

export function addTaskLogCommand(parent: Command, run: Run): void {
  withJson(parent.command('log'))
    .description(
      'what happened to a task, oldest first; JSON names transcripts from the folder of the task',
    )
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .option('-n, --lines <n>', 'only the last n', parseWhole({ min: 1, max: 1_000_000 }))
    .action((name: string | undefined, options: LogOptions) =>
      run(options, (context) => showTaskLog(context, name, options)),
    );
}

export async function showTaskLog(
  context: CommandContext,
  name: string | undefined,
  options: LogOptions,
): Promise<Ending> {
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  const { readTaskHistory } = await import('../read-task.js');
  const history = readTaskHistory(context, task.value);
  if (!history.ok) return history;
  const events = options.lines === undefined ? history.value : history.value.slice(-options.lines);
  const { project, id } = task.value.fields;
  const layout = { columns: context.output.columns, dir: context.paths.taskDir(project, id) };
  context.output.result(events, () => events.map((event) => formatEvent(event, layout)).join('\n'));
  return ENDED_WELL;
}
