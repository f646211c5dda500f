import type { Command } from 'commander';
import { failed } from '../../domain/result.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { withJson, type JsonOption } from '../options.js';
import { runSteps } from '../service/run-steps.js';
import { readServiceFile } from '../service/start-by-service.js';
import { NO_MANAGER } from './daemon-install.js';

export function addDaemonUninstallCommand(parent: Command, run: Run): void {
  withJson(parent.command('uninstall'))
    .description('remove the service again; a daemon that it started stops, agents keep running')
    .action((options: JsonOption) => run(options, uninstallService));
}

export async function uninstallService(context: CommandContext): Promise<Ending> {
  const { service, files, env } = context;
  if (context.actor === 'agent') {
    return failed({ kind: 'not-for-agents', action: 'remove the service of' });
  }
  if (service === null) return failed(NO_MANAGER);
  const { name, file, manager } = service;
  const owner = readServiceFile(files, service);
  if (owner === 'foreign') return failed({ kind: 'file-not-ours', path: file });
  const wasInstalled = owner === 'ours';
  if (wasInstalled) {
    const reached = await runSteps([service.probe], env);
    const disabled = reached.ok ? await runSteps(service.disable, env) : reached;
    const removed = files.remove(file);
    if (!removed.ok) return removed;
    if (reached.ok && !disabled.ok) return disabled;
    const forgotten = reached.ok ? await runSteps(service.forget, env) : reached;
    if (reached.ok && !forgotten.ok) return forgotten;
  }
  const holder = await context.daemonHolder();
  context.output.result({ manager, name, file, was_installed: wasInstalled }, () => {
    if (!wasInstalled) return `No service is installed (${file}).`;
    return holder === null
      ? `Removed ${file}. Agents keep running; start the daemon by hand with: orange daemon start`
      : `Removed ${file}. The daemon (pid ${holder.pid}) goes on; to end it: orange daemon stop`;
  });
  return ENDED_WELL;
}
