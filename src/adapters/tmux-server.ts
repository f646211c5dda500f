import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { DONE, type Result, failed, success } from '../domain/result.js';
import type { Files, Log } from '../ports.js';
import { LAUNCHER_SCRIPT, SERVER_VARIABLES } from './launcher-script.js';
import type { ProcessMark, ProcessTable } from './process-table.js';
import { type TmuxCommand, classifyTmuxFailure, runTmux } from './tmux-command.js';
import { TMUX_CONF } from './tmux-conf.js';

export type TmuxServerParts = {
  readonly socket: string;
  readonly runDir: string;
  /** Where the server's own few variables are picked from; agents get theirs by file. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: Files;
  readonly processes: ProcessTable;
  readonly log?: Log;
};

export type LiveWindow = {
  readonly session: string;
  readonly sessionId: string;
  readonly window: string;
  readonly taskId: string | null;
  readonly launchId: string | null;
};

/** One terminal server, found again when its socket file was lost, and never doubled. */
export interface TmuxConnection {
  /** Commands for a server that runs. */
  run(commands: readonly TmuxCommand[], input?: string): Promise<Result<string>>;
  /** Commands that bring up the server if need be; the caller has asked `windows` before. */
  start(commands: readonly TmuxCommand[]): Promise<Result<string>>;
  /** All windows; none when there is no server. */
  windows(): Promise<Result<readonly LiveWindow[]>>;
  /** Writes configuration and launcher where they are missing or outdated. */
  prepare(): Result<void>;
  rememberServer(pid: number): void;
  server(): ProcessMark | null;
}

export function connectTmux(parts: TmuxServerParts): TmuxConnection {
  const { socket, files, processes } = parts;
  const conf = `${parts.runDir}/tmux.conf`;
  const memory = `${parts.runDir}/tmux-server.json`;
  const tmux = { socket, conf, env: serverEnvironment(parts.env) };

  const server = (): ProcessMark | null => {
    const file = files.readText(memory, 4096);
    const parsed = v.safeParse(MEMORY, file.ok ? file.value.text : '');
    if (!parsed.success || parsed.output.socket !== socket) return null;
    const mark = { pid: parsed.output.pid, start: parsed.output.start };
    // Without a start time it could be anybody's process by now.
    return mark.start !== null && processes.isAlive(mark) ? mark : null;
  };

  const run: TmuxConnection['run'] = async (commands, input) => {
    const options = input === undefined ? {} : { input };
    const first = await runTmux(tmux, commands, options);
    const lost = !first.ok && classifyTmuxFailure(first.failure) === 'no-server' ? server() : null;
    if (lost === null) return first;
    if (!(await reviveSocket(parts, tmux, lost))) {
      return failed({ kind: 'io-failed', path: socket, operation: 'connect', code: 'ENOENT' });
    }
    return runTmux(tmux, commands, options);
  };

  return {
    run,
    server,
    start: (commands) =>
      runTmux(tmux, [['start-server'], KEEP_SERVER, ...commands], { start: true }),
    windows: async () => {
      const listing = await run([['list-windows', '-a', '-F', WINDOW_FORMAT]]);
      if (listing.ok) return success(readWindows(listing.value));
      const refusal = classifyTmuxFailure(listing.failure);
      return refusal === 'no-server' || refusal === 'no-session' ? success([]) : listing;
    },
    prepare: () => {
      const made = files.makeDirectory(parts.runDir);
      if (!made.ok) return made;
      const configured = writeIfChanged(files, conf, TMUX_CONF);
      return configured.ok
        ? writeIfChanged(files, `${parts.runDir}/launcher.sh`, LAUNCHER_SCRIPT)
        : configured;
    },
    rememberServer: (pid) => {
      const mark = processes.markOf(pid);
      if (mark !== null) files.replace(memory, `${JSON.stringify({ socket, ...mark })}\n`);
    },
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

// A server that makes its socket again on SIGUSR1 has lost only the file.
async function reviveSocket(
  parts: TmuxServerParts,
  tmux: Parameters<typeof runTmux>[0],
  server: ProcessMark,
): Promise<boolean> {
  for (let attempt = 0; attempt < 20 && parts.processes.isAlive(server); attempt += 1) {
    parts.processes.signal(server, 'SIGUSR1');
    await pause(50);
    const answer = await runTmux(tmux, [['show-options', '-s', 'exit-empty']]);
    if (answer.ok) {
      parts.log?.write({ event: 'tmux.socket-restored', socket: parts.socket, pid: server.pid });
      return true;
    }
  }
  return false;
}

function readWindows(listing: string): readonly LiveWindow[] {
  return listing.split('\n').flatMap((line) => {
    const [taskId, launchId, sessionId, session, ...window] = line.split(':');
    if (taskId === undefined || sessionId === undefined || session === undefined) return [];
    return [
      {
        session,
        sessionId,
        window: window.join(':'),
        taskId: taskId === '' ? null : taskId,
        launchId: launchId === undefined || launchId === '' ? null : launchId,
      },
    ];
  });
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
  '#{@orange_task}:#{@orange_launch}:#{session_id}:#{session_name}:#{window_name}';
const MEMORY = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ socket: v.string(), pid: v.number(), start: v.nullable(v.string()) }),
);
