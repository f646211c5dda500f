import { DONE, type Result, failed, success } from '../domain/result.js';
import type { Files, LiveWindow, Log } from '../ports.js';
import { endLeftClients } from './end-left-clients.js';
import { LAUNCHER_SCRIPT, SERVER_VARIABLES } from './launcher-script.js';
import type { ProcessMark, ProcessTable } from './process-table.js';
import { isAbsent, reviveSocket } from './revive-socket.js';
import { seeOutServer } from './see-out-server.js';
import { type ServerFate, createServerFate } from './server-fate.js';
import { createSystemClock } from './system-clock.js';
import { type TmuxControl, createTmuxControl } from './tmux-control.js';
import {
  type TmuxCommand,
  type TmuxServer,
  classifyTmuxFailure,
  isTurnedAway,
  refusedByTmux,
  runTmux,
  tooSlow,
} from './tmux-command.js';
import { TMUX_CONF } from './tmux-conf.js';
import type { ControlOutcome } from './tmux-control-client.js';
import { type ServerMemory, createServerMemory } from './tmux-server-memory.js';

export type TmuxServerParts = {
  readonly socket: string;
  readonly runDir: string;
  /** Where the server's own few variables are picked from; agents get theirs by file. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: Files;
  readonly processes: ProcessTable;
  /** Shared with those who judge the ends of agents. */
  readonly fate?: ServerFate;
  readonly log?: Log;
};

/** One terminal server, found again when its socket file was lost, and never doubled. */
export interface TmuxConnection {
  /** Commands for a server that runs. */
  run(commands: readonly TmuxCommand[], input?: string): Promise<Result<string>>;
  /** Commands that bring up the server if there is none, never a second one. */
  start(commands: readonly TmuxCommand[]): Promise<Result<string>>;
  /** All windows; none when there is no server. */
  windows(): Promise<Result<readonly LiveWindow[]>>;
  /** Writes configuration and launcher where they are missing or outdated. */
  prepare(): Result<void>;
  rememberServer(pid: number): void;
  server(): ProcessMark | null;
  readonly socket: string;
  /** Has a server that lives make its socket file anew when that is gone. */
  keepSocket(): Promise<void>;
  /** The open connection, over which commands go while it is up. */
  readonly control: TmuxControl;
}

export function connectTmux(parts: TmuxServerParts): TmuxConnection {
  const { socket } = parts;
  const tmux = { socket, conf: confFile(parts), env: serverEnvironment(parts.env) };
  const unreachable = failed({
    kind: 'io-failed',
    path: socket,
    operation: 'connect',
    code: 'ENOENT',
  });
  const memory = createServerMemory(parts);
  const revive = onceAtATime(async () => {
    const lost = memory.find();
    return lost !== null && reviveSocket(parts, tmux, lost);
  });
  const { clearWay, seeOut } = leaveTaking(parts, tmux, memory);
  const control = createTmuxControl({
    tmux,
    clock: createSystemClock(),
    revive,
    isServerAlive: () => memory.find() !== null,
    clearWay,
    seeOut,
  });
  const ask = async (commands: readonly TmuxCommand[]): Promise<Result<string> | null> =>
    readOutcome(commands, await control.ask(commands), memory);

  const run: TmuxConnection['run'] = async (commands, input) => {
    const answer = input === undefined ? await ask(commands) : null;
    if (answer !== null) return answer;
    const options = input === undefined ? {} : { input };
    const first = await runTmux(tmux, commands, options);
    const isLost = !first.ok && classifyTmuxFailure(first.failure) === 'no-server';
    // One that exits has closed all terminals: it is as good as gone.
    if (!isLost || isTurnedAway(first.failure) || memory.find() === null) return first;
    if (await revive()) return runTmux(tmux, commands, options);
    return unreachable;
  };

  return {
    run,
    control,
    socket,
    keepSocket: async () => {
      if (isAbsent(parts)) await revive();
    },
    server: () => memory.find(),
    rememberServer: (pid) => memory.remember(pid),
    prepare: () => prepareFiles(parts),
    start: async (commands) => {
      const answer = await ask(commands);
      if (answer !== null) return answer;
      // Where only the socket file is gone, tmux would bring up a second server beside the first.
      if (isAbsent(parts) && memory.find() !== null && !(await revive())) return unreachable;
      const bringUp = async (): Promise<Result<string>> =>
        runTmux(tmux, [['start-server'], KEEP_SERVER, ...commands], { start: true });
      const first = await bringUp();
      const isShut = !first.ok && isTurnedAway(first.failure) && memory.find() !== null;
      const started = isShut && !(await seeOut()) ? await bringUp() : first;
      if (started.ok) control.wake();
      return started;
    },
    windows: async () => listWindows(run),
  };
}

/** What is due when the server lets somebody in, and when it turns everybody away. */
function leaveTaking(
  parts: TmuxServerParts,
  tmux: TmuxServer,
  memory: ServerMemory,
): Pick<Parameters<typeof createTmuxControl>[0], 'clearWay' | 'seeOut'> {
  const leaving = { ...parts, tmux, fate: parts.fate ?? createServerFate() };
  return {
    clearWay: async () => {
      leaving.fate.noteServing();
      await endLeftClients(leaving);
    },
    seeOut: onceAtATime(async () => {
      const server = memory.find();
      return server !== null && seeOutServer(leaving, server);
    }),
  };
}

/** The few variables a terminal server needs; everything else would reach every agent and `ps`. */
export function serverEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const picked = SERVER_VARIABLES.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(picked), TERM: 'screen-256color' };
}

/** What came over the open connection, or null when the commands are to be run in another way. */
function readOutcome(
  commands: readonly TmuxCommand[],
  outcome: ControlOutcome,
  memory: ServerMemory,
): Result<string> | null {
  switch (outcome.kind) {
    case 'unsent':
      return null;
    case 'timed-out':
      return failed(tooSlow(commands));
    case 'lost':
      if (commands.every(([name]) => READING.has(name))) return null;
      return failed(refusedByTmux(commands, memory.find() === null ? 'lost server' : 'lost', null));
    case 'answered':
      return outcome.isRefused
        ? failed(refusedByTmux(commands, outcome.output, 1))
        : success(outcome.output);
  }
}

/** Commands that change nothing, so that they may be given twice. */
const READING: ReadonlySet<string> = new Set([
  'capture-pane',
  'list-clients',
  'list-panes',
  'list-windows',
  'show-options',
]);

/** Lets those who ask while it is being done share what comes of it. */
function onceAtATime(step: () => Promise<boolean>): () => Promise<boolean> {
  let underWay: Promise<boolean> | null = null;
  return () => {
    underWay ??= step().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}

async function listWindows(run: TmuxConnection['run']): ReturnType<TmuxConnection['windows']> {
  const listing = await run([['list-windows', '-a', '-F', WINDOW_FORMAT]]);
  if (listing.ok) return success(readWindows(listing.value));
  const refusal = classifyTmuxFailure(listing.failure);
  return refusal === 'no-server' || refusal === 'no-session' ? success([]) : listing;
}

function readWindows(listing: string): readonly LiveWindow[] {
  return listing.split('\n').flatMap((line) => {
    const [keeper, taskId, launchId, windowId, sessionId, session, ...window] = line.split(':');
    if (keeper !== '' || taskId === undefined || session === undefined) return [];
    return [
      {
        session,
        sessionId: sessionId ?? '',
        window: window.join(':'),
        windowId: windowId ?? '',
        taskId: taskId === '' ? null : taskId,
        launchId: launchId === undefined || launchId === '' ? null : launchId,
      },
    ];
  });
}

function confFile({ runDir }: Pick<TmuxServerParts, 'runDir'>): string {
  return `${runDir}/tmux.conf`;
}

function prepareFiles(parts: TmuxServerParts): Result<void> {
  const { files, runDir } = parts;
  const made = files.makeDirectory(runDir);
  if (!made.ok) return made;
  const configured = writeIfChanged(files, confFile(parts), TMUX_CONF);
  if (!configured.ok) return configured;
  return writeIfChanged(files, `${runDir}/launcher.sh`, LAUNCHER_SCRIPT);
}

function writeIfChanged(files: Files, path: string, text: string): Result<void> {
  const current = files.readText(path, 64 * 1024);
  if (current.ok && current.value.text === text) return DONE;
  const written = files.replace(path, text);
  return written.ok ? DONE : written;
}

const KEEP_SERVER: TmuxCommand = ['set-option', '-s', 'exit-empty', 'off'];
// No session name holds a colon: tmux replaces it.
const WINDOW_FORMAT =
  '#{@orange_keeper}:#{@orange_task}:#{@orange_launch}:#{window_id}:#{session_id}:#{session_name}:#{window_name}';
