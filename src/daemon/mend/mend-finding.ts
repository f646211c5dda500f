import { endProcessTree } from '../../adapters/end-process-tree.js';
import type { ProcessTable } from '../../adapters/process-table.js';
import type { Survey } from '../../doctor/survey.js';
import type { Finding, FindingClass } from '../../domain/finding.js';
import { failed, success, type Result } from '../../domain/result.js';
import type { Sessions } from '../../ports.js';
import type { LiveWorld } from '../live-world.js';
import type { PoolKeeper } from '../pool-keeper.js';

export type MendParts = {
  readonly world: LiveWorld;
  readonly sessions: Pick<Sessions, 'endSession'>;
  readonly processes: ProcessTable;
  readonly pool: PoolKeeper;
};

type Mend = (parts: MendParts, finding: Finding, survey: Survey) => Promise<Result<string>>;

/** Puts one thing right; gives what was done, in words. Safe to repeat. */
export const mendFinding: Mend = async (parts, finding, survey) =>
  MENDS[finding.class](parts, finding, survey);

const MENDS: Readonly<Record<FindingClass, Mend>> = {
  'orphan-process': endProcesses,
  'zombie-session': endSession,
  'session-without-task': endSession,
  'pool-file': rewritePool,
};

const GRACE_MS = 2000;

/** Ends exactly the processes that were found, as long as they are still the same ones. */
async function endProcesses(
  { processes }: MendParts,
  finding: Finding,
  survey: Survey,
): Promise<Result<string>> {
  const known = (survey.processes ?? []).filter(({ pid }) => finding.pids.includes(pid));
  const tree = { markers: [], recorders: [] };
  const left = await endProcessTree(processes, tree, { known, graceMs: GRACE_MS });
  if (left.length > 0) {
    const pids = left.map(({ pid }) => pid);
    return failed({ kind: 'agent-would-not-end', taskId: finding.task_id ?? '', pids });
  }
  return success(`ended process ${finding.pids.join(', ')}`);
}

async function endSession({ sessions }: MendParts, finding: Finding): Promise<Result<string>> {
  const taskId = finding.task_id ?? '';
  const ended = await sessions.endSession(taskId, finding.session ?? '');
  return ended.ok ? success(`ended session ${finding.session ?? ''}`) : ended;
}

async function rewritePool({ pool, world }: MendParts, finding: Finding): Promise<Result<string>> {
  const written = pool.rewrite(world);
  return written.ok ? success(`wrote ${finding.path ?? ''} anew`) : written;
}
