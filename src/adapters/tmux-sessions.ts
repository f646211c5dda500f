import { DONE, type Result, failed, success } from '../domain/result.js';
import type { AgentPlace, LiveSession, LiveWindow, Sessions, TerminalEvents } from '../ports.js';
import { alertClients } from './alert-clients.js';
import { errnoOf } from './disk-steps.js';
import { endAgents } from './end-agents.js';
import { launchAgent, openAhead } from './launch-agent.js';
import { LaunchGates } from './launch-gates.js';
import { listWindows } from './launch-files.js';
import { screenLines } from './launch-records.js';
import { pasteText } from './paste-text.js';
import {
  GONE,
  classifyTmuxFailure,
  isExactSessionName,
  isExactWindowName,
  windowTarget,
} from './tmux-command.js';
import { END_KEEPER } from './tmux-control-client.js';
import { createTmuxEvents } from './tmux-events.js';
import {
  type TmuxConnection,
  type TmuxServerParts,
  connectTmux,
  serverEnvironment,
} from './tmux-server.js';

export type TerminalSessions = Sessions & {
  readonly events: TerminalEvents;
  /** Lets the server go with its last session; for a daemon that stops. The next launch undoes it. */
  endServerWhenEmpty(): Promise<void>;
};

/** The agents' terminals on one tmux server of orange's own. */
export function createSessions(parts: TmuxServerParts): TerminalSessions {
  const tmux = connectTmux(parts);
  const inTurn = createTurns();
  return {
    ...launchOperations(parts, tmux, inTurn),
    renameSession: (taskId, name) => inTurn(taskId, () => renameSession(tmux, taskId, name)),
    tell: (place, text) => {
      const known = checkPlace(place);
      const turn = `${place.session}:${place.window}`;
      return known.ok ? inTurn(turn, () => pasteText(tmux, place, text)) : Promise.resolve(known);
    },
    capture: (place, lines) => capture(tmux, place, lines),
    lastOutput: () => lastOutput(tmux),
    alertClients: (words) => alertClients({ ...parts, tmux }, words),
    list: async () => {
      const windows = await tmux.windows();
      return windows.ok ? success(groupBySession(windows.value)) : windows;
    },
    events: createTmuxEvents(tmux),
    endServerWhenEmpty: async () => {
      await tmux.control.close();
      // There is a keeper left only if the connection could not be closed in good order.
      await tmux.run([['set-option', '-s', 'exit-empty', 'on'], END_KEEPER]);
    },
  };
}

type InTurn = ReturnType<typeof createTurns>;

/** Starting agents in their windows and ending them, one after the other for each task. */
function launchOperations(
  parts: TmuxServerParts,
  tmux: TmuxConnection,
  inTurn: InTurn,
): Pick<Sessions, 'expect' | 'launch' | 'endWindow' | 'endSession'> {
  const gates = new LaunchGates(parts.runDir, serverEnvironment(parts.env));
  const launching = { ...parts, tmux, gates };
  const endInTurn = (taskId: string, end: () => Promise<Result<void>>): Promise<Result<void>> =>
    inTurn(taskId, () => {
      gates.drop(taskId);
      return end();
    });
  return {
    expect: (launch) => {
      // What becomes of it the launch finds out.
      inTurn(launch.taskId, () => openAhead(launching, launch)).catch((error: unknown) => {
        gates.drop(launch.taskId);
        if (errnoOf(error) === null) throw error;
      });
    },
    launch: async (launch) => {
      const launched = await inTurn(launch.taskId, () => launchAgent(launching, launch));
      if (launch.isFirst === true) void gates.stock();
      return launched;
    },
    endWindow: (taskId, place) =>
      endInTurn(taskId, () =>
        endAgents(parts, tmux, {
          taskId,
          windows: [place.window],
          isMeant: (live) => live.session === place.session && live.window === place.window,
          markers: [],
          worktree: null,
          kill: (live) => ['kill-window', '-t', windowTarget(live.session, live.window)],
        }),
      ),
    // The tag decides, not the name: a session that was renamed by hand is still the task's.
    endSession: (taskId, _session, worktree) =>
      endInTurn(taskId, async () => {
        const windows = listWindows(parts.files, parts.runDir, taskId);
        if (!windows.ok) return windows;
        return endAgents(parts, tmux, {
          taskId,
          windows: windows.value,
          isMeant: () => true,
          markers: [{ name: 'ORANGE_TASK_ID', value: taskId }],
          worktree: worktree ?? null,
          kill: (live) => ['kill-session', '-t', live.sessionId],
        });
      }),
  };
}

const OUTPUT_FORMAT = '#{@orange_launch} #{window_activity}';

async function renameSession(
  tmux: TmuxConnection,
  taskId: string,
  name: string,
): Promise<Result<void>> {
  if (!isExactSessionName(name)) return failed(notFound({ session: name, window: '' }));
  const listed = await tmux.windows();
  if (!listed.ok) return listed;
  const live = listed.value.find((window) => window.taskId === taskId);
  if (live === undefined || live.session === name) return DONE;
  const renamed = await tmux.run([['rename-session', '-t', live.sessionId, name]]);
  return renamed.ok ? DONE : renamed;
}

async function capture(
  tmux: TmuxConnection,
  place: AgentPlace,
  lines: number,
): Promise<Result<readonly string[]>> {
  const known = checkPlace(place);
  if (!known.ok) return known;
  const target = windowTarget(place.session, place.window);
  const history = `-${Math.max(0, Math.floor(lines))}`;
  const text = await tmux.run([['capture-pane', '-p', '-J', '-S', history, '-t', target]]);
  if (text.ok) return success(screenLines(text.value).slice(-Math.max(1, lines)));
  return GONE.has(classifyTmuxFailure(text.failure)) ? failed(notFound(place)) : text;
}

async function lastOutput(tmux: TmuxConnection): Promise<Result<ReadonlyMap<string, number>>> {
  const listing = await tmux.run([['list-windows', '-a', '-F', OUTPUT_FORMAT]]);
  if (!listing.ok) {
    return GONE.has(classifyTmuxFailure(listing.failure)) ? success(new Map()) : listing;
  }
  const rows = listing.value.split('\n').map((line) => line.split(' '));
  return success(
    new Map(
      rows.flatMap(([launchId, second]) =>
        launchId === undefined || launchId === '' ? [] : [[launchId, Number(second)] as const],
      ),
    ),
  );
}

function checkPlace(place: AgentPlace): Result<void> {
  const isExact = isExactSessionName(place.session) && isExactWindowName(place.window);
  return isExact ? DONE : failed(notFound(place));
}

function notFound(place: AgentPlace) {
  const name = `${place.session}:${place.window}`;
  return { kind: 'not-found', what: 'window', name } as const;
}

type Grouped = Pick<LiveSession, 'session' | 'taskId'> & {
  readonly windows: string[];
  readonly launches: { window: string; launchId: string }[];
};

function groupBySession(windows: readonly LiveWindow[]): readonly LiveSession[] {
  const sessions = new Map<string, Grouped>();
  for (const { session, taskId, window, launchId } of windows) {
    const known = sessions.get(session) ?? { session, taskId, windows: [], launches: [] };
    known.windows.push(window);
    if (launchId !== null) known.launches.push({ window, launchId });
    sessions.set(session, known);
  }
  return [...sessions.values()];
}

/** Lets steps with the same key follow each other. */
function createTurns(): <T>(key: string, step: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (key, step) => {
    const before = last.get(key) ?? Promise.resolve();
    const turn = before.then(step, step);
    last.set(key, turn);
    const forget = (): void => {
      if (last.get(key) === turn) last.delete(key);
    };
    turn.then(forget, forget);
    return turn;
  };
}
