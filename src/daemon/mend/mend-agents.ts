import { endProcessTree } from '../../adapters/end-process-tree.js';
import { launchDirectory, noteEnding } from '../../adapters/launch-files.js';
import type { ProcessTable } from '../../adapters/process-table.js';
import type { LaunchedProcess, Survey } from '../../doctor/survey.js';
import type { Finding } from '../../domain/finding.js';
import { DONE, failed, success, type Result } from '../../domain/result.js';
import type { TaskState } from '../../domain/world.js';
import type { Files, Sessions } from '../../ports.js';
import type { Paths } from '../../record/paths.js';
import { restoreRecord } from './adopt-launches.js';
import type { Done } from './done.js';

export type AgentParts = {
  readonly files: Files;
  readonly paths: Paths;
  readonly sessions: Pick<Sessions, 'endSession' | 'list'>;
  readonly processes: ProcessTable;
  /** Starts a task's agent again, as a person would ask for it. */
  respawn(taskId: string): Promise<Result<unknown>>;
};

const GRACE_MS = 2000;

/**
 * Ends exactly the processes that were found, as long as they are still the same ones. Where they are
 * an agent that its task still counts on, it is noted before that its end is none of its own.
 */
export async function endProcesses(
  parts: AgentParts,
  finding: Finding,
  survey: Survey,
): Promise<Result<Done>> {
  const { processes } = parts;
  const known = (survey.processes ?? []).filter(({ pid }) => finding.pids.includes(pid));
  const noted = noteEndings(parts, survey.world.tasks.get(finding.task_id ?? ''), known);
  if (!noted.ok) return noted;
  const tree = { markers: [], recorders: [] };
  const left = await endProcessTree(processes, tree, { known, graceMs: GRACE_MS });
  if (!left.ok) return left;
  if (left.value.length > 0) {
    const pids = left.value.map(({ pid }) => pid);
    return failed({ kind: 'agent-would-not-end', taskId: finding.task_id ?? '', pids });
  }
  return success({ message: `ended process ${finding.pids.join(', ')}` });
}

function noteEndings(
  { files, paths }: AgentParts,
  task: TaskState | undefined,
  known: readonly LaunchedProcess[],
): Result<void> {
  if (task === undefined) return DONE;
  const directory = launchDirectory(paths.runDir, task.fields.id);
  if (directory === null) return DONE;
  const launches = new Set(known.map(({ launchId }) => launchId));
  for (const agent of [task.worker, task.reviewer]) {
    if (agent.kind !== 'live' || !launches.has(agent.launchId)) continue;
    const noted = noteEnding(files, { directory, window: agent.window }, agent.launchId);
    if (!noted.ok) return noted;
  }
  return DONE;
}

export async function endSession(
  { sessions }: AgentParts,
  finding: Finding,
): Promise<Result<Done>> {
  const session = finding.session ?? '';
  const ended = await sessions.endSession(finding.task_id ?? '', session);
  return ended.ok ? success({ message: `ended session ${session}` }) : ended;
}

/** Writes the launch record anew by what the window and the process table show. */
export async function adoptAgent(
  parts: AgentParts,
  finding: Finding,
  survey: Survey,
): Promise<Result<Done>> {
  const lost = survey.lostRecords.find(({ recorder }) => finding.pids.includes(recorder));
  if (lost === undefined)
    return failed({ kind: 'not-found', what: 'window', name: finding.session ?? '' });
  const restored = restoreRecord(parts, lost);
  const { session, window } = lost;
  return restored.ok
    ? success({ message: `took over the agent in ${session}:${window}` })
    : restored;
}

/** Whoever asks a server that lost its socket makes it come back. */
export async function reviveServer(
  { sessions }: AgentParts,
  finding: Finding,
): Promise<Result<Done>> {
  const listed = await sessions.list();
  return listed.ok
    ? success({ message: `found the server of ${finding.path ?? ''} again` })
    : listed;
}
