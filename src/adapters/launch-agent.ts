import { umask } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { failpoint } from '../domain/failpoint.js';
import type { Failure } from '../domain/failure.js';
import { DONE, type Result, failed, success } from '../domain/result.js';
import type { AwaitedLaunch, Files, Launch, LaunchedAgent, LiveWindow } from '../ports.js';
import { checkLaunch, checkPlace, unusable } from './check-launch.js';
import { endProcessTree } from './end-process-tree.js';
import { launchDirectory, readEnd, readStart, startOrNull } from './launch-files.js';
import { writeLaunchOrder } from './launcher-script.js';
import type { LaunchGates } from './launch-gates.js';
import { type WindowParts, openWindow } from './open-window.js';
import { classifyTmuxFailure, windowTarget } from './tmux-command.js';

export type LaunchParts = WindowParts & { readonly gates: LaunchGates };

/**
 * Opens the window of a first launch before its order is there, so that the terminal is up by then.
 * Where that cannot be, the launch itself opens it.
 */
export async function openAhead(parts: LaunchParts, launch: AwaitedLaunch): Promise<void> {
  const directory = launchDirectory(parts.runDir, launch.taskId);
  if (checkPlace(launch) !== null || directory === null) return;
  const prepared = parts.tmux.prepare();
  const made = parts.files.makeDirectory(directory, 'until-reboot');
  // An order that was never taken would be given to this launcher by the next daemon.
  const cleared = parts.files.remove(orderFile(directory, launch.window));
  if (!prepared.ok || !made.ok || !cleared.ok) return;
  const { taskId, launchId } = launch;
  if (!parts.gates.build(taskId, launchId, gateFile(directory, launch.window))) return;
  const window = { directory, where: 'no-session', order: 'awaited' } as const;
  const opened = await openWindow(parts, launch, window);
  if (!opened.ok) parts.gates.drop(taskId);
  failpoint('launch.opened-ahead');
}

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
  const opened = await openOrLetIn(parts, launch, directory);
  const started = opened.ok ? await awaitStart(parts, launch, directory) : opened;
  parts.gates.drop(launch.taskId);
  if (opened.ok) return started;
  parts.files.remove(orderFile(directory, launch.window));
  return opened;
}

async function openOrLetIn(
  parts: LaunchParts,
  launch: Launch,
  directory: string,
): Promise<Result<void>> {
  const { taskId, launchId } = launch;
  const opened = parts.gates.has(taskId, launchId)
    ? letIn(parts, launch, directory)
    : await ensureWindow(parts, launch, directory);
  if (!opened.ok || (await isHeard(parts, launch, directory))) return opened;
  // A launcher that waited has gone meanwhile, and its window with it.
  parts.gates.drop(taskId);
  return ensureWindow(parts, launch, directory);
}

/** Whether somebody has taken the order, or is still there to take it. */
async function isHeard(parts: LaunchParts, launch: Launch, directory: string): Promise<boolean> {
  for (let looks = 0; looks < SOON_LOOKS; looks += 1) {
    if (hasRecord(parts.files, launch, directory)) return true;
    await pause(LOOK_MS);
  }
  const window = await findWindow(parts, launch);
  return !window.ok || window.value === 'ours';
}

/** Gives the launcher that waits in a window its order. */
function letIn(parts: LaunchParts, launch: Launch, directory: string): Result<void> {
  const written = writeOrder(parts.files, launch, directory);
  if (!written.ok) return written;
  parts.gates.open(launch.taskId);
  return DONE;
}

/** A window that an earlier daemon made for this launch; its launcher may still wait there. */
function takeOver(parts: LaunchParts, launch: Launch, directory: string): Result<void> {
  const { taskId, launchId, window } = launch;
  if (!parts.gates.adopt(taskId, launchId, gateFile(directory, window))) return DONE;
  // Whoever has an order may have been let in: what it has recorded stays.
  if (!isThere(parts.files, orderFile(directory, window))) return letIn(parts, launch, directory);
  parts.gates.open(taskId);
  return DONE;
}

/** Makes the window, unless it is there; in a session that comes or goes meanwhile it tries again. */
async function ensureWindow(
  parts: LaunchParts,
  launch: Launch,
  directory: string,
): Promise<Result<void>> {
  const prepared = parts.tmux.prepare();
  if (!prepared.ok) return prepared;
  const gate = gateFile(directory, launch.window);
  // A gate was left by a daemon that died, and perhaps a launcher that waits at it.
  const isUntried = launch.isFirst === true && !isThere(parts.files, gate);
  for (let attempt = 1; ; attempt += 1) {
    // Should there be a session for a first launch all the same, making one fails and tells.
    const isNew = attempt === 1 && isUntried;
    const window = isNew ? success('no-session' as const) : await findWindow(parts, launch);
    if (!window.ok) return window;
    if (window.value === 'ours') return takeOver(parts, launch, directory);
    parts.files.remove(gate);
    const opened = await openWithOrder(parts, launch, { directory, where: window.value });
    // An agent that ended at once takes its window along before the last command of the step.
    if (opened.ok || hasRecord(parts.files, launch, directory)) return DONE;
    if (attempt === 3 || !RACES.has(classifyTmuxFailure(opened.failure))) return opened;
  }
}

async function openWithOrder(
  parts: LaunchParts,
  launch: Launch,
  place: { readonly directory: string; readonly where: 'no-session' | 'in-session' },
): Promise<Result<void>> {
  const written = writeOrder(parts.files, launch, place.directory);
  return written.ok ? openWindow(parts, launch, { ...place, order: 'given' }) : written;
}

const RACES: ReadonlySet<string> = new Set(['no-session', 'no-window', 'duplicate-session']);
const START_LIMIT_MS = 5000;
const LONGEST_PAUSE_MS = 100;
const LOOK_MS = 10;
const SOON_LOOKS = 20;

/** The earlier start with this very id, or the refusal to start beside another one that lives. */
function adoptLaunch(
  parts: LaunchParts,
  launch: Launch,
  directory: string,
): Result<LaunchedAgent> | null {
  const earlier = readStart(parts.files, directory, launch.window);
  if (!earlier.ok || earlier.value === null) return earlier.ok ? null : earlier;
  const start = earlier.value;
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

function orderFile(directory: string, window: string): string {
  return `${directory}/${window}.launch`;
}

function gateFile(directory: string, window: string): string {
  return `${directory}/${window}.gate`;
}

function writeOrder(files: Files, launch: Launch, directory: string): Result<void> {
  const made = files.makeDirectory(directory, 'until-reboot');
  if (!made.ok) return made;
  for (const kind of ['pid', 'exit', 'screen', 'ended']) {
    const removed = files.remove(`${directory}/${launch.window}.${kind}`);
    if (!removed.ok) return removed;
  }
  const marks = { ORANGE_LAUNCH_ID: launch.launchId, ORANGE_TASK_ID: launch.taskId };
  const order = { ...launch, mask: umask(), env: { ...launch.env, ...marks } };
  const written = files.replace(
    orderFile(directory, launch.window),
    writeLaunchOrder(order),
    'until-reboot',
  );
  if (!written.ok) return written;
  failpoint('launch.order-written');
  return DONE;
}

function isThere(files: Files, path: string): boolean {
  const state = files.stat(path);
  return !state.ok || state.value.kind !== 'absent';
}

function hasRecord(files: Files, launch: Launch, directory: string): boolean {
  const start = startOrNull(files, directory, launch.window);
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
    const start = startOrNull(parts.files, directory, launch.window);
    if (start?.launchId === launch.launchId) return success(launched(launch, start.mark.pid));
    const end = readEnd(parts.files, directory, launch.window, launch.launchId);
    if (end !== null) {
      const isNowhere = end.failure === 'no-directory';
      const place = `its directory ${launch.cwd} cannot be entered`;
      return didNotStart(launch, isNowhere ? place : 'its launcher ended before it ran');
    }
    const lookedAtMs = performance.now();
    await pause(LOOK_MS);
    // While nobody could look, the sign may have been given: such a time counts little.
    waitedMs += Math.min(performance.now() - lookedAtMs, LONGEST_PAUSE_MS);
  }
  parts.files.remove(orderFile(directory, launch.window));
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
