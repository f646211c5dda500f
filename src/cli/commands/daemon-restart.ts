import type { Command } from 'commander';
import type { CommandContext, Ending, Run } from '../command-context.js';
import { withJson, type JsonOption } from '../options.js';
import { startDaemon } from './daemon-start.js';
import { endDaemon } from './daemon-stop.js';

export function addDaemonRestartCommand(parent: Command, run: Run): void {
  withJson(parent.command('restart'))
    .description('stop the daemon, if it runs, and start it; agents keep running')
    .action((options: JsonOption) => run(options, restartDaemon));
}

export async function restartDaemon(context: CommandContext): Promise<Ending> {
  const stopped = await endDaemon(context);
  if (!stopped.ok) return stopped;
  return startDaemon(context);
}
