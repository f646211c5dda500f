import { reviewWindow, WORKER_WINDOW, type AgentExit } from '../domain/session.js';
import { ABSENT, type AgentState, type TaskState } from '../domain/world.js';
import type { LaunchRecord, LaunchRecords } from '../ports.js';

const UNKNOWN_EXIT: AgentExit = { status: null, signal: null, hasScreen: false };

/** The agents of a task as their launch records show them when the daemon starts. */
export function restoreAgents(
  launches: LaunchRecords,
  task: TaskState,
  notedLaunches: ReadonlySet<string>,
): Pick<TaskState, 'worker' | 'reviewer'> {
  const { id, review_round: round, status } = task.fields;
  if (task.fields.tmux_session === null) return { worker: ABSENT, reviewer: ABSENT };
  const stateIn = (window: string): AgentState => {
    const read = launches.read(id, window);
    // One whose record cannot be read is not started again either while that is so.
    return toState(read.ok ? read.value : null, notedLaunches);
  };
  return {
    worker: stateIn(WORKER_WINDOW),
    reviewer: status === 'agent-review' ? stateIn(reviewWindow(round)) : ABSENT,
  };
}

function toState(record: LaunchRecord | null, noted: ReadonlySet<string>): AgentState {
  if (record === null) return ABSENT;
  const { launchId, window, exit } = record;
  // What cannot be judged yet is looked at again like any other that was known to live.
  const isOpen = record.isInDoubt && !noted.has(launchId);
  if (isOpen || (record.isAlive && exit === null)) return { kind: 'live', launchId, window };
  return {
    kind: 'ended',
    launchId,
    window,
    exit: exit ?? UNKNOWN_EXIT,
    isNoted: noted.has(launchId),
  };
}
