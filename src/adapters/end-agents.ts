import { failpoint } from '../domain/failpoint.js';
import { DONE, type Result, failed, success } from '../domain/result.js';
import type { LiveWindow } from '../ports.js';
import { type Beginning, endProcessTree } from './end-process-tree.js';
import { launchDirectory, readStart, type StartRecord } from './launch-files.js';
import type { Marker, ProcessMark, ProcessTable } from './process-table.js';
import { type TmuxCommand, GONE, classifyTmuxFailure } from './tmux-command.js';
import type { TmuxConnection, TmuxServerParts } from './tmux-server.js';

/** Which windows and processes of a task are to go. */
export type Ending = {
  readonly taskId: string;
  readonly windows: readonly string[];
  readonly isMeant: (live: LiveWindow) => boolean;
  readonly markers: readonly Marker[];
  readonly worktree: string | null;
  readonly kill: (live: LiveWindow) => TmuxCommand;
};

/** Closes windows and ends every process of their launches, verified. */
export async function endAgents(
  parts: TmuxServerParts,
  tmux: TmuxConnection,
  ending: Ending,
): Promise<Result<void>> {
  const directory = launchDirectory(parts.runDir, ending.taskId);
  if (directory === null) {
    return failed({ kind: 'not-found', what: 'task', name: ending.taskId });
  }
  const listed = await tmux.windows();
  const live = listed.ok
    ? listed.value.filter((window) => window.taskId === ending.taskId && ending.isMeant(window))
    : [];
  const members = await findMembers(parts, directory, { ending, live });
  if (!members.ok) return members;
  const { tree, known } = members.value;
  failpoint('end.before-kill');
  const closed = await closeWindows(tmux, ending, live);
  failpoint('end.windows-killed');
  // A server that does not answer is no reason to let the agents live on.
  const isNobodyThere = listed.ok && live.length === 0 && known.length === 0;
  const left = isNobodyThere
    ? success([])
    : await endProcessTree(parts.processes, tree, { known, graceMs: GRACE_MS });
  if (!left.ok) return left;
  if (left.value.length > 0) {
    const pids = left.value.map(({ pid }) => pid);
    return failed({ kind: 'agent-would-not-end', taskId: ending.taskId, pids });
  }
  failpoint('end.verified');
  return listed.ok ? closed : listed;
}

/** Fails with the last window that is still there. */
async function closeWindows(
  tmux: TmuxConnection,
  ending: Ending,
  live: readonly LiveWindow[],
): Promise<Result<void>> {
  let closed = DONE;
  for (const window of live) {
    const killed = await tmux.run([ending.kill(window)]);
    if (!killed.ok && !GONE.has(classifyTmuxFailure(killed.failure))) closed = killed;
  }
  return closed;
}

/** By what the processes of the launches are known, and those that can be seen now. */
async function findMembers(
  parts: TmuxServerParts,
  directory: string,
  { ending, live }: { readonly ending: Ending; readonly live: readonly LiveWindow[] },
): Promise<Result<{ readonly tree: Beginning; readonly known: readonly ProcessMark[] }>> {
  const recorded = readStarts(parts, directory, ending.windows);
  if (!recorded.ok) return recorded;
  const starts = recorded.value;
  const launchIds = [...starts, ...live].flatMap(({ launchId }) => launchId ?? []);
  const tree = {
    markers: [
      ...ending.markers,
      ...launchIds.map((value) => ({ name: 'ORANGE_LAUNCH_ID', value }) as const),
    ],
    recorders: starts.map(({ mark }) => mark),
  };
  const hidden = findHidden(parts.processes, starts, ending.worktree);
  if (!hidden.ok) return hidden;
  const marked = await parts.processes.findTree({ ...tree, known: [] });
  return marked.ok ? success({ tree, known: [...hidden.value, ...marked.value] }) : marked;
}

function readStarts(
  { files }: TmuxServerParts,
  directory: string,
  windows: readonly string[],
): Result<readonly StartRecord[]> {
  const starts: StartRecord[] = [];
  for (const window of windows) {
    const start = readStart(files, directory, window);
    if (!start.ok) return start;
    if (start.value !== null) starts.push(start.value);
  }
  return success(starts);
}

/**
 * Processes in a worktree that a launch began there, with no trace of it left but the session. The
 * session's number alone could be somebody else's by now.
 */
function findHidden(
  processes: ProcessTable,
  starts: readonly StartRecord[],
  worktree: string | null,
): Result<readonly ProcessMark[]> {
  if (worktree === null) return success([]);
  const inside = processes.findInside(worktree);
  if (!inside.ok) return inside;
  return success(
    inside.value.filter((occupant) =>
      starts.some(({ leader, mark }) => leader === occupant.session && isLater(occupant, mark)),
    ),
  );
}

function isLater(one: ProcessMark, other: ProcessMark): boolean {
  const [boot, ticks] = (one.start ?? '').split('/');
  const [otherBoot, otherTicks] = (other.start ?? '').split('/');
  return boot === otherBoot && Number(ticks) >= Number(otherTicks);
}

const GRACE_MS = 2000;
