import type { Command } from 'commander';
import { platform } from 'node:process';
import { parsePullRequestUrl } from '../../domain/pull-request.js';
import { failed } from '../../domain/result.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { taskName } from '../find-task.js';
import { withJson, type JsonOption } from '../options.js';
import { resolveTask } from '../resolve-name.js';
import { oneLine } from '../table.js';

export function addPrOpenCommand(parent: Command, run: Run): void {
  withJson(parent.command('open'))
    .description('print the address of a pull request, and show it in the browser from a terminal')
    .argument('[task]', 'id, prefix or project/branch (default: the task of this directory)')
    .action((name: string | undefined, options: JsonOption) =>
      run(options, (context) => openInBrowser(context, name, options)),
    );
}

export async function openInBrowser(
  context: CommandContext,
  name: string | undefined,
  options: JsonOption,
): Promise<Ending> {
  const task = await resolveTask(context, name);
  if (!task.ok) return task;
  const { pr_url: url } = task.value.fields;
  if (url === null) return failed({ kind: 'pr-missing', task: taskName(task.value) });
  context.output.result({ url }, () => oneLine(url));
  const isWanted = options.json !== true && context.terminal.screen !== null;
  // Only an address that can be nothing else is handed to another program.
  if (!isWanted || parsePullRequestUrl(url) === null) return ENDED_WELL;
  const { runCommand } = await import('../../adapters/run-command.js');
  const program = platform === 'darwin' ? 'open' : 'xdg-open';
  const shown = await runCommand({ program, argv: [url], timeoutMs: BROWSER_LIMIT_MS });
  if (!shown.ok || shown.value.exitCode !== 0) context.output.note('No browser could be opened.');
  return ENDED_WELL;
}

const BROWSER_LIMIT_MS = 10_000;
