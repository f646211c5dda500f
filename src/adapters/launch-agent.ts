import { setTimeout as pause } from 'node:timers/promises';
import { failpoint } from '../domain/failpoint.js';
import type { Failure } from '../domain/failure.js';
import { DONE, type Result, failed, success } from '../domain/result.js';
import type { Files, Launch, LaunchedAgent, LiveWindow } from '../ports.js';
import { endProcessTree } from './end-process-tree.js';
import { launchDirectory, readEnd, readStart } from './launch-records.js';
import { writeLaunchOrder } from './launcher-script.js';
import type { ProcessTable } from './process-table.js';
import {
  type TmuxCommand,
  classifyTmuxFailure,
  isExactSessionName,
  isExactWindowName,
  literalFormat,
  sessionTarget,
  windowTarget,
} from './tmux-command.js';
import type { TmuxConnection } from './tmux-server.js';

export type LaunchParts = {
  readonly tmux: TmuxConnection;
  readonly runDir: string;
  readonly files: Files;
  readonly processes: ProcessTable;
};

/** Starts an agent in its window; a launch that has started before is taken over, not repeated. */
export async function launchAgent(
  parts: LaunchParts,
  launch: Launch,
): Promise<Result<LaunchedAgent>> {
  const refusal = checkLaunch(launch);
  const directory = launchDirectory(parts.runDir, launch.taskId);
  if (refusal !== null) return failed(refusal);
  if (directory === null) return failed(unusable('task', launch.taskId));
  const earlier = adoptLaunch(parts, launch, directory);
  if (earlier !== null) return earlier;
  const opened = await ensureWindow(parts, launch, directory);
  if (opened.ok) return awaitStart(parts, launch, directory);
  parts.files.remove(`${directory}/${launch.window}.launch`);
  return opened;
}

/** Makes the window, unless it is there; in a session that comes or goes meanwhile it tries again. */
async function ensureWindow(
  parts: LaunchParts,
  launch: Launch,
  directory: string,
): Promise<Result<void>> {
  const prepared = parts.tmux.prepare();
  if (!prepared.ok) return prepared;
  for (let attempt = 1; ; attempt += 1) {
    // Should there be a session for a first launch all the same, making one fails and tells.
    const isNew = attempt === 1 && launch.isFirst === true;
    const window = isNew ? success('no-session' as const) : await findWindow(parts, launch);
    if (!window.ok) return window;
    if (window.value === 'ours') return DONE;
    const opened = await openWindow(parts, launch, directory, window.value);
    // An agent that ended at once takes its window along before the last command of the step.
    if (opened.ok || hasRecord(parts.files, launch, directory)) return DONE;
    if (attempt === 3 || !RACES.has(classifyTmuxFailure(opened.failure))) return opened;
  }
}

const RACES: ReadonlySet<string> = new Set(['no-session', 'no-window', 'duplicate-session']);
const START_LIMIT_MS = 5000;
const LONGEST_PAUSE_MS = 100;
const SPARE_FILES = 16;

function checkLaunch(launch: Launch): Failure | null {
  if (!isExactSessionName(launch.session)) return unusable('session', launch.session);
  if (!isExactWindowName(launch.window)) return unusable('window', launch.window);
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(launch.launchId)) return unusable('launch', launch.launchId);
  if (launch.argv[0] === undefined || launch.argv[0] === '') return unusable('command', '');
  const words = [launch.cwd, ...launch.argv];
  return words.some((word) => word.includes('\0')) ? unusable('command', 'NUL') : null;
}

function unusable(argument: string, value: string): Failure {
  return { kind: 'invalid-argument', argument, value, rule: 'a name in safe characters' };
}

/** The earlier start with this very id, or the refusal to start beside another one that lives. */
function adoptLaunch(
  parts: LaunchParts,
  launch: Launch,
  directory: string,
): Result<LaunchedAgent> | null {
  const start = readStart(parts.files, directory, launch.window);
  if (start === null) return null;
  if (start.launchId === launch.launchId) return success(launched(launch, start.mark.pid));
  const hasEnded = readEnd(parts.files, directory, launch.window, start.launchId) !== null;
  if (hasEnded || !parts.processes.isAlive(start.mark)) return null;
  return failed({
    kind: 'agent-busy',
    taskId: launch.taskId,
    doing: `running in ${launch.window}`,
  });
}

function launched(launch: Launch, pid: number): LaunchedAgent {
  const { taskId, launchId, session, window } = launch;
  return { taskId, launchId, session, window, pid };
}

/** Whether the window is to be made with a new session or in one, or was made for this launch. */
async function findWindow(
  parts: LaunchParts,
  launch: Launch,
): Promise<Result<'no-session' | 'in-session' | 'ours'>> {
  const listed = await parts.tmux.windows();
  if (!listed.ok) return listed;
  const session = listed.value.filter((live) => live.session === launch.session);
  if (session.length === 0) return success('no-session');
  if (session.some((live) => live.taskId !== launch.taskId)) {
    return didNotStart(launch, `the session ${launch.session} belongs to another task`);
  }
  const same = session.find((live) => live.window === launch.window);
  if (same === undefined) return success('in-session');
  if (same.launchId === launch.launchId) return success('ours');
  const cleared = await clearWindow(parts, same);
  if (!cleared.ok) return cleared;
  return findWindow(parts, launch);
}

// Its agent has ended (else the launch was refused before): what is left is a window about to close.
async function clearWindow(parts: LaunchParts, left: LiveWindow): Promise<Result<void>> {
  const killed = await parts.tmux.run([
    ['kill-window', '-t', windowTarget(left.session, left.window)],
  ]);
  if (killed.ok || RACES.has(classifyTmuxFailure(killed.failure))) return DONE;
  return killed;
}

async function openWindow(
  parts: LaunchParts,
  launch: Launch,
  directory: string,
  where: 'no-session' | 'in-session',
): Promise<Result<void>> {
  const server = parts.tmux.server();
  const open = server === null ? null : parts.processes.openFiles(server.pid);
  if (open !== null && open.used + SPARE_FILES > open.limit) {
    return didNotStart(launch, `the tmux server may open no more than ${open.limit} files`);
  }
  const written = writeOrder(parts.files, launch, directory);
  if (!written.ok) return written;
  failpoint('launch.order-written');
  const command = ['/bin/sh', `${parts.runDir}/launcher.sh`, directory, launch.window];
  const target = sessionTarget(launch.session);
  const name = literalFormat(launch.window);
  const create: TmuxCommand =
    where === 'no-session'
      ? [
          'new-session',
          '-d',
          '-P',
          '-F',
          '#{pid}',
          '-s',
          literalFormat(launch.session),
          '-n',
          name,
          '--',
          ...command,
        ]
      : ['new-window', '-d', '-P', '-F', '#{pid}', '-t', target, '-n', name, '--', ...command];
  const done = await parts.tmux.start([
    create,
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

function writeOrder(files: Files, launch: Launch, directory: string): Result<void> {
  const made = files.makeDirectory(directory, 'until-reboot');
  if (!made.ok) return made;
  for (const kind of ['pid', 'exit', 'screen']) {
    const removed = files.remove(`${directory}/${launch.window}.${kind}`);
    if (!removed.ok) return removed;
  }
  const marks = { ORANGE_LAUNCH_ID: launch.launchId, ORANGE_TASK_ID: launch.taskId };
  const order = { ...launch, env: { ...launch.env, ...marks } };
  const written = files.replace(
    `${directory}/${launch.window}.launch`,
    writeLaunchOrder(order),
    'until-reboot',
  );
  return written.ok ? DONE : written;
}

function hasRecord(files: Files, launch: Launch, directory: string): boolean {
  const start = readStart(files, directory, launch.window);
  return (
    start?.launchId === launch.launchId ||
    readEnd(files, directory, launch.window, launch.launchId) !== null
  );
}

async function awaitStart(
  parts: LaunchParts,
  launch: Launch,
  directory: string,
): Promise<Result<LaunchedAgent>> {
  for (let waitedMs = 0; waitedMs < START_LIMIT_MS; ) {
    const start = readStart(parts.files, directory, launch.window);
    if (start?.launchId === launch.launchId) return success(launched(launch, start.mark.pid));
    const end = readEnd(parts.files, directory, launch.window, launch.launchId);
    if (end !== null) return didNotStart(launch, `its directory ${launch.cwd} cannot be entered`);
    const lookedAtMs = performance.now();
    await pause(10);
    // While nobody could look, the sign may have been given: such a time counts little.
    waitedMs += Math.min(performance.now() - lookedAtMs, LONGEST_PAUSE_MS);
  }
  parts.files.remove(`${directory}/${launch.window}.launch`);
  await parts.tmux.run([['kill-window', '-t', windowTarget(launch.session, launch.window)]]);
  const markers = [{ name: 'ORANGE_LAUNCH_ID', value: launch.launchId }] as const;
  await endProcessTree(parts.processes, { markers, recorders: [] }, { known: [], graceMs: 0 });
  return didNotStart(launch, `its launcher gave no sign within ${START_LIMIT_MS / 1000} s`);
}

function didNotStart(
  launch: Launch,
  reason: string,
): { readonly ok: false; readonly failure: Failure } {
  return failed({ kind: 'agent-did-not-start', window: launch.window, reason });
}
