import type { Command } from 'commander';
import { describeFiles, describeSweep, describeTerminals } from '../../domain/describe-sources.js';
import { isOlderVersion } from '../../domain/is-older-version.js';
import { success, type Result } from '../../domain/result.js';
import type {
  DaemonStatus,
  RunningDaemon,
  SettingsInForce,
  Unwritten,
} from '../../domain/task-view.js';
import { ENDED_WELL, type CommandContext, type Ending, type Run } from '../command-context.js';
import { withJson, type JsonOption } from '../options.js';
import { paint } from '../paint.js';
import { count } from '../table.js';

export function addDaemonStatusCommand(parent: Command, run: Run): void {
  withJson(parent.command('status'))
    .description('whether the daemon runs, and how it is')
    .action((options: JsonOption) => run(options, showDaemonStatus));
}

export async function showDaemonStatus(context: CommandContext): Promise<Ending> {
  const status = await readDaemonStatus(context);
  if (!status.ok) return status;
  context.output.result(status.value, () => formatDaemonStatus(status.value, context));
  return ENDED_WELL;
}

export async function readDaemonStatus(context: CommandContext): Promise<Result<DaemonStatus>> {
  const client = await context.runningClient();
  if (!client.ok) return client;
  if (client.value !== null) return client.value.call({ method: 'status' });
  const { home, daemonSocket: socket } = context.paths;
  const holder = await context.daemonHolder();
  const silent = holder === null ? {} : ({ answers: false, pid: holder.pid } as const);
  return success({ running: false, ...silent, home, socket });
}

/** A remark on a daemon that is older than this program; null where there is none to make. */
export function remarkOnVersion(daemonVersion: string, ours: string): string | null {
  if (!isOlderVersion(daemonVersion, ours)) return null;
  return `orange ${daemonVersion} is older than this one (${ours}); the next command that changes something replaces it, agents keep running`;
}

export function formatDaemonStatus(
  status: DaemonStatus,
  { version }: Pick<CommandContext, 'version'>,
): string {
  if (!status.running && status.pid !== undefined) {
    return `${paint('red', '○')} does not answer: pid ${status.pid} (home ${status.home})\n  Replace it with: orange daemon restart; agents keep running`;
  }
  if (!status.running) {
    return `${paint('dim', '○')} not running (home ${status.home})\n  Start it with: orange daemon start`;
  }
  const remark = remarkOnVersion(status.version, version);
  const megabytes = Math.round(status.rss_bytes / 1_048_576);
  return [
    `${paint('green', '●')} running: pid ${status.pid}, orange ${status.version}, up ${formatUptime(status.uptime_s)}`,
    `  ${count(status.tasks, 'task')}, ${count(status.sessions, 'session')}, ${megabytes} MB`,
    ...(remark === null ? [] : [`  ${paint('yellow', '!')} ${remark}`]),
    ...formatSources(status),
    ...formatSettings(status.settings ?? 'as-written'),
    ...formatUnwritten(status.unwritten ?? null),
    `  home ${status.home}`,
    `  socket ${status.socket}`,
  ].join('\n');
}

function formatSources({ sources, uptime_s }: RunningDaemon): readonly string[] {
  const terminals = describeTerminals(sources.terminals, uptime_s);
  const described = [terminals, describeFiles(sources.files)];
  const well = described.filter(({ isHealthy }) => isHealthy).map(({ text }) => text);
  const faults = described.filter(({ isHealthy }) => !isHealthy).map(({ text }) => text);
  // What is only just being connected is made up for as well, but is no fault.
  const isStarting = sources.terminals.state === 'connecting' && terminals.isHealthy;
  const isMadeUpFor = faults.length > 0 || (sources.sweep === 'full' && !isStarting);
  const told = isMadeUpFor ? [...faults, describeSweep(sources)] : [];
  return [
    ...(well.length === 0 ? [] : [`  ${well.join(', ')}`]),
    ...told.map((text) => `  ${paint('yellow', '!')} ${text}`),
  ];
}

function formatSettings(settings: SettingsInForce): readonly string[] {
  if (settings === 'as-written') return [];
  const used =
    settings === 'last-good' ? 'the last good settings are used' : 'the defaults are used';
  return [`  ${paint('yellow', '!')} config.yaml is rejected, ${used}; why: orange doctor`];
}

function formatUnwritten(unwritten: Unwritten | null): readonly string[] {
  if (unwritten === null) return [];
  const { tasks, message } = unwritten;
  return [`  ${paint('red', '!')} ${count(tasks, 'task')} held up: ${message}`];
}

function formatUptime(seconds: number): string {
  const whole = Math.floor(seconds);
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m`;
  return `${Math.floor(whole / 3600)}h ${Math.floor((whole % 3600) / 60)}m`;
}
