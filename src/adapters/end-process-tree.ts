import { setTimeout as pause } from 'node:timers/promises';
import type { Marker, ProcessMark, ProcessTable } from './process-table.js';

/** Whom to end: everything with one of the markers, and the terminal sessions of the recorders. */
export type ProcessTree = {
  readonly markers: readonly Marker[];
  readonly recorders: readonly ProcessMark[];
};

/**
 * Ends all processes of a tree: asked to first, killed after the grace. Gives those that are still
 * there at the end. `known` are members found earlier, when their recorder still lived.
 */
export async function endProcessTree(
  processes: ProcessTable,
  tree: ProcessTree,
  options: { readonly known: readonly ProcessMark[]; readonly graceMs: number },
): Promise<readonly ProcessMark[]> {
  const asked = new Set<number>();
  const graceEnds = performance.now() + options.graceMs;
  const givenUp = graceEnds + KILL_LIMIT_MS;
  let members = await survey(processes, tree, options.known);
  for (let round = 1; members.length > 0 && performance.now() <= givenUp; round += 1) {
    for (const mark of members) {
      if (performance.now() >= graceEnds) processes.signal(mark, 'SIGKILL');
      else if (!asked.has(mark.pid)) askToEnd(processes, mark);
      asked.add(mark.pid);
    }
    await pause(POLL_MS);
    members = members.filter((mark) => processes.isAlive(mark));
    // The whole table is dear to read: only now and then, and always before saying "gone".
    if (members.length === 0 || round % 8 === 0) members = await survey(processes, tree, members);
  }
  return members;
}

/** The members of a tree as of now. */
export async function findProcessTree(
  processes: ProcessTable,
  tree: ProcessTree,
): Promise<readonly ProcessMark[]> {
  return survey(processes, tree, []);
}

async function survey(
  processes: ProcessTable,
  tree: ProcessTree,
  known: readonly ProcessMark[],
): Promise<readonly ProcessMark[]> {
  const marked = await Promise.all(tree.markers.map((marker) => processes.findMarked(marker)));
  const inSessions = tree.recorders.flatMap((recorder) => processes.findSession(recorder));
  const found = [
    ...known.filter((mark) => processes.isAlive(mark)),
    ...inSessions,
    ...marked.flat(),
  ];
  // One that shed its environment and its session still has its parent, as long as that lives.
  const below = processes.findBelow(found);
  return [...new Map([...found, ...below].map((mark) => [mark.pid, mark])).values()];
}

function askToEnd(processes: ProcessTable, mark: ProcessMark): void {
  processes.signal(mark, 'SIGHUP');
  processes.signal(mark, 'SIGTERM');
  // A stopped process takes note of the others only when it goes on.
  processes.signal(mark, 'SIGCONT');
}

const POLL_MS = 25;
const KILL_LIMIT_MS = 5000;
