import { reviewWindow, WORKER_WINDOW, type AgentExit } from '../domain/session.js';
import { ABSENT, type AgentState, type TaskState } from '../domain/world.js';
import type { LaunchRecord, LaunchRecords } from '../ports.js';

const UNKNOWN_EXIT: AgentExit = { status: null, signal: null, screen: [] };

/** The agents of a task as their launch records show them when the daemon starts. */
export function restoreAgents(
  launches: LaunchRecords,
  task: TaskState,
  countedLaunches: ReadonlySet<string>,
): Pick<TaskState, 'worker' | 'reviewer'> {
  const { id, review_round: round, status } = task.fields;
  if (task.fields.tmux_session === null) return { worker: ABSENT, reviewer: ABSENT };
  const worker = launches.read(id, WORKER_WINDOW);
  const reviewer = status === 'agent-review' ? launches.read(id, reviewWindow(round)) : null;
  return { worker: toState(worker, countedLaunches), reviewer: toState(reviewer, countedLaunches) };
}

function toState(record: LaunchRecord | null, counted: ReadonlySet<string>): AgentState {
  if (record === null) return ABSENT;
  const { launchId, window, exit } = record;
  if (record.isAlive && exit === null) return { kind: 'live', launchId, window };
  return {
    kind: 'ended',
    launchId,
    window,
    exit: exit ?? UNKNOWN_EXIT,
    isCounted: counted.has(launchId),
  };
}
