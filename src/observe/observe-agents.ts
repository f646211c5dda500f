import type { AgentEnded } from '../domain/observation.js';
import type { AgentExit, Role } from '../domain/session.js';
import type { AgentState, TaskState } from '../domain/world.js';
import type { LaunchRecords } from '../ports.js';

const UNKNOWN_EXIT: AgentExit = { status: null, signal: null, screen: [] };

/** Agents of a task that were known to live and no longer do. Asks no subprocess. */
export function observeAgents(launches: LaunchRecords, task: TaskState): readonly AgentEnded[] {
  return [...observeAgent(launches, task, 'worker'), ...observeAgent(launches, task, 'reviewer')];
}

/** Ends that a starting daemon found in the records and that nobody has dealt with yet. */
export function unseenEnds(task: TaskState): readonly AgentEnded[] {
  const roles = [
    ['worker', task.worker],
    ['reviewer', task.reviewer],
  ] as const;
  return roles.flatMap(([role, agent]): readonly AgentEnded[] => {
    if (agent.kind !== 'ended' || agent.isCounted) return [];
    const { launchId, window, exit } = agent;
    return [{ kind: 'agent-ended', taskId: task.fields.id, role, launchId, window, exit }];
  });
}

function observeAgent(launches: LaunchRecords, task: TaskState, role: Role): readonly AgentEnded[] {
  const agent: AgentState = role === 'worker' ? task.worker : task.reviewer;
  if (agent.kind !== 'live') return [];
  const { launchId, window } = agent;
  const record = launches.read(task.fields.id, window);
  const isOurs = record !== null && record.launchId === launchId;
  if (isOurs && record.isAlive && record.exit === null) return [];
  const exit = (isOurs ? record.exit : null) ?? UNKNOWN_EXIT;
  return [{ kind: 'agent-ended', taskId: task.fields.id, role, launchId, window, exit }];
}
