import type { Command } from 'commander';
import { dirname } from 'node:path';
import type { Failure } from '../../domain/failure.js';
import { failed } from '../../domain/result.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { withJson, type JsonOption } from '../options.js';
import type { Service } from '../service/service.js';
import { runSteps } from '../service/run-steps.js';
import { readServiceFile } from '../service/start-by-service.js';
import { endDaemon } from './daemon-stop.js';

export function addDaemonInstallCommand(parent: Command, run: Run): void {
  withJson(parent.command('install'))
    .description('start the daemon at login and after a failure (systemd or launchd)')
    .action((options: JsonOption) => run(options, installService));
}

export async function installService(context: CommandContext): Promise<Ending> {
  const { service, files, env } = context;
  if (context.actor === 'agent') {
    return failed({ kind: 'not-for-agents', action: 'install the service of' });
  }
  if (service === null) return failed(NO_MANAGER);
  if (readServiceFile(files, service) === 'foreign') {
    return failed({ kind: 'file-not-ours', path: service.file });
  }
  const made = files.makeDirectory(dirname(service.file));
  const written = made.ok ? files.replace(service.file, service.text) : made;
  if (!written.ok) return written;
  const reached = await runSteps([service.probe], env);
  if (!reached.ok) return failed(notEnabled(service));
  // Only one daemon can have the home; the manager's comes after the one that runs now.
  const stopped = await endDaemon(context);
  if (!stopped.ok) return stopped;
  const enabled = await runSteps(service.enable, env);
  if (!enabled.ok) return enabled;
  return report(context, service, (await answers(context)) ? 'running' : 'silent');
}

export const NO_MANAGER = {
  kind: 'unsupported',
  what: 'A service on this platform',
  instead: 'Start the daemon at login yourself: orange daemon start',
} as const;

function notEnabled({ manager, file: path, enable }: Service): Failure {
  const command = enable.map((words) => words.join(' ')).join(' && ');
  return { kind: 'service-not-enabled', manager, path, command };
}

/** Whether the daemon that the manager was to start answers. */
async function answers({ runningClient, delay }: CommandContext): Promise<boolean> {
  for (let tries = 0; tries < ANSWER_TRIES; tries += 1) {
    const client = await runningClient();
    const asked = client.ok
      ? await client.value?.call({ method: 'status' }, { timeoutMs: 2000 })
      : undefined;
    if (asked?.ok === true) return true;
    await delay(ANSWER_PAUSE_MS);
  }
  return false;
}

const ANSWER_TRIES = 25;
const ANSWER_PAUSE_MS = 200;

function report(
  { output }: CommandContext,
  { name, file, manager }: Service,
  daemon: 'running' | 'silent',
): Ending {
  const isRunning = daemon === 'running';
  output.result({ manager, name, file, state: 'enabled', running: isRunning }, () =>
    isRunning
      ? `Installed ${name} (${file}): the daemon runs, starts at login, and after a failure.${LINGER[manager]}`
      : `Installed ${name} (${file}): the daemon is to start now, at login, and after a failure, but it does not answer yet.\n  See whether it has come: orange daemon status${LINGER[manager]}`,
  );
  return ENDED_WELL;
}

const LINGER = {
  systemd: '\n  To keep it running after you log out: loginctl enable-linger',
  launchd: '',
} as const;
