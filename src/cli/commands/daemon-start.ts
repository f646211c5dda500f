import type { Command } from 'commander';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { withJson, type JsonOption } from '../options.js';
import { formatDaemonStatus } from './daemon-status.js';

export function addDaemonStartCommand(parent: Command, run: Run): void {
  withJson(parent.command('start'))
    .description('start the daemon; returns once it answers')
    .action((options: JsonOption) => run(options, startDaemon));
}

export async function startDaemon(context: CommandContext): Promise<Ending> {
  const client = await context.client();
  if (!client.ok) return client;
  const status = await client.value.call({ method: 'status' });
  if (!status.ok) return status;
  context.output.result(status.value, () => formatDaemonStatus(status.value, context));
  return ENDED_WELL;
}
