import { failpoint } from '../domain/failpoint.js';
import { DONE, type Result, failed } from '../domain/result.js';
import type { AwaitedLaunch, Files } from '../ports.js';
import type { ProcessTable } from './process-table.js';
import { type TmuxCommand, literalFormat, sessionTarget, windowTarget } from './tmux-command.js';
import type { TmuxConnection } from './tmux-server.js';

export type WindowParts = {
  readonly tmux: TmuxConnection;
  readonly runDir: string;
  readonly files: Files;
  readonly processes: ProcessTable;
};

const SPARE_FILES = 16;

/** Makes the window of a launch, and in it its launcher: one that has its order, or one that waits for it. */
export async function openWindow(
  parts: WindowParts,
  launch: AwaitedLaunch,
  {
    directory,
    where,
    order,
  }: {
    readonly directory: string;
    readonly where: 'no-session' | 'in-session';
    readonly order: 'given' | 'awaited';
  },
): Promise<Result<void>> {
  const server = parts.tmux.server();
  const open = server === null ? null : parts.processes.openFiles(server.pid);
  if (open !== null && open.used + SPARE_FILES > open.limit) {
    const reason = `the tmux server may open no more than ${open.limit} files`;
    return failed({ kind: 'agent-did-not-start', window: launch.window, reason });
  }
  const { window, launchId, session } = launch;
  const script = `${parts.runDir}/launcher.sh`;
  const launcher = ['/bin/sh', script, directory, window, order, launchId, session];
  const target = sessionTarget(launch.session);
  const create: TmuxCommand =
    where === 'no-session'
      ? ['new-session', ...PRINT_SERVER, '-s', literalFormat(launch.session)]
      : ['new-window', ...PRINT_SERVER, '-t', target];
  const done = await parts.tmux.start([
    [...create, '-n', literalFormat(launch.window), '--', ...launcher],
    ['set-option', '-t', target, '@orange_task', launch.taskId],
    [
      'set-option',
      '-w',
      '-t',
      windowTarget(launch.session, launch.window),
      '@orange_launch',
      launch.launchId,
    ],
  ]);
  if (!done.ok) return done;
  failpoint('launch.window-made');
  const pid = Number.parseInt(done.value, 10);
  if (server?.pid !== pid) parts.tmux.rememberServer(pid);
  return DONE;
}

const PRINT_SERVER = ['-d', '-P', '-F', '#{pid}'] as const;
