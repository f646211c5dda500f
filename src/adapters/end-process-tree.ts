import { setTimeout as pause } from 'node:timers/promises';
import { success, type Result } from '../domain/result.js';
import type { ProcessMark, ProcessTable, ProcessTree } from './process-table.js';

/** Whom to end. */
export type Beginning = Omit<ProcessTree, 'known'>;

/**
 * Ends all processes of a tree: asked to first, killed after the grace. Gives those that are still
 * there at the end, and fails where nobody could look. `known` are members found earlier, when their
 * recorder still lived.
 */
export async function endProcessTree(
  processes: ProcessTable,
  tree: Beginning,
  options: { readonly known: readonly ProcessMark[]; readonly graceMs: number },
): Promise<Result<readonly ProcessMark[]>> {
  const asked = new Set<number>();
  const graceEnds = performance.now() + options.graceMs;
  let leftMs = options.graceMs + KILL_LIMIT_MS;
  let members: readonly ProcessMark[] = options.known.filter((mark) => processes.isAlive(mark));
  if (members.length === 0) {
    const found = await processes.findTree({ ...tree, known: [] });
    if (!found.ok) return found;
    members = found.value;
  }
  for (let round = 1; members.length > 0 && leftMs > 0; round += 1) {
    const startMs = performance.now();
    for (const mark of members) {
      if (performance.now() >= graceEnds) processes.signal(mark, 'SIGKILL');
      else if (!asked.has(mark.pid)) askToEnd(processes, mark);
      asked.add(mark.pid);
    }
    await pause(POLL_MS);
    members = members.filter((mark) => processes.isAlive(mark));
    // The whole table is dear to read: only now and then, and always before saying "gone".
    if (members.length === 0 || round % 8 === 0) {
      const found = await processes.findTree({ ...tree, known: members });
      if (!found.ok) return found;
      members = found.value;
    }
    // A time in which nobody could look or kill is no time in which it would not end.
    leftMs -= Math.min(performance.now() - startMs, LONGEST_ROUND_MS);
  }
  return success(members);
}

function askToEnd(processes: ProcessTable, mark: ProcessMark): void {
  processes.signal(mark, 'SIGHUP');
  processes.signal(mark, 'SIGTERM');
  // A stopped process takes note of the others only when it goes on.
  processes.signal(mark, 'SIGCONT');
}

const POLL_MS = 25;
const KILL_LIMIT_MS = 5000;
const LONGEST_ROUND_MS = 250;
