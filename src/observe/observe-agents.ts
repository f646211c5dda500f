import type { AgentEnded } from '../domain/observation.js';
import type { AgentExit, Role } from '../domain/session.js';
import type { AgentState, TaskState } from '../domain/world.js';
import type { Clock, LaunchRecord, LaunchRecords } from '../ports.js';

/** What was seen of a task's agents. */
export type AgentLook = {
  /** Agents that were known to live and no longer do. */
  readonly ended: readonly AgentEnded[];
  /** When to look again, because an end cannot be judged yet; null when there is none. */
  readonly againInMs: number | null;
};

/** A launch that was known to live and whose record is gone. */
export type LostLaunch = {
  readonly taskId: string;
  readonly window: string;
  readonly launchId: string;
};

/** A lost record is no evidence of death: whose it was is looked for. */
export interface LostAgents {
  /** Whether it is known that nobody is there; begins to look for it while that is not known. */
  isGone(lost: LostLaunch): boolean;
}

export interface AgentObserver {
  /** Looks at the agents of a task that are known to live. Asks no subprocess. */
  observe(task: TaskState): AgentLook;
}

export function createAgentObserver(parts: {
  readonly launches: Pick<LaunchRecords, 'read' | 'exitOf'>;
  readonly lost: LostAgents;
  readonly clock: Clock;
  /** Whether it is known how the terminal server gets on. */
  readonly isServerKnown: () => boolean;
}): AgentObserver {
  const doubts = new Map<string, number>();

  /** Whether a server that may be dying still gets the time to do so. */
  const isInDoubt = (launchId: string): boolean => {
    const now = parts.clock.monotonicMs();
    const since = doubts.get(launchId) ?? now;
    doubts.set(launchId, since);
    return now - since < (parts.isServerKnown() ? DOUBT_MS : LONGEST_DOUBT_MS);
  };

  const lifeWithoutRecord = (lost: LostLaunch): Life | 'unknown' => {
    const exit = parts.launches.exitOf(lost.taskId, lost.window, lost.launchId);
    if (exit !== null) return { ...OVER, exit };
    return parts.lost.isGone(lost) ? OVER : 'unknown';
  };

  const observeAgent = (task: TaskState, role: Role): AgentLook => {
    const agent: AgentState = role === 'worker' ? task.worker : task.reviewer;
    if (agent.kind !== 'live') return NOTHING_SEEN;
    const { launchId, window } = agent;
    const taskId = task.fields.id;
    const read = parts.launches.read(taskId, window);
    // That nobody can look says nothing about the agent.
    if (!read.ok) return { ended: [], againInMs: UNSEEN_AGAIN_MS };
    const ours =
      read.value === null
        ? lifeWithoutRecord({ taskId, window, launchId })
        : lifeOf(read.value, launchId);
    if (ours === 'unknown') return { ended: [], againInMs: LOST_AGAIN_MS };
    if (ours.isAlive && ours.exit === null) return NOTHING_SEEN;
    if (ours.isInDoubt && isInDoubt(launchId)) return { ended: [], againInMs: LOOK_AGAIN_MS };
    doubts.delete(launchId);
    const exit = ours.exit ?? UNKNOWN_EXIT;
    return {
      ended: [{ kind: 'agent-ended', taskId, role, launchId, window, exit }],
      againInMs: null,
    };
  };

  return {
    observe: (task) => {
      const worker = observeAgent(task, 'worker');
      const reviewer = observeAgent(task, 'reviewer');
      return {
        ended: [...worker.ended, ...reviewer.ended],
        againInMs: worker.againInMs ?? reviewer.againInMs,
      };
    },
  };
}

type Life = Pick<LaunchRecord, 'isAlive' | 'isInDoubt' | 'exit'>;

/** What the record says of this launch; one of another launch says that this one is over. */
function lifeOf(record: LaunchRecord, launchId: string): Life {
  return record.launchId === launchId ? record : OVER;
}

/** Ends that a starting daemon found in the records and that nobody has dealt with yet. */
export function unseenEnds(task: TaskState): readonly AgentEnded[] {
  const roles = [
    ['worker', task.worker],
    ['reviewer', task.reviewer],
  ] as const;
  return roles.flatMap(([role, agent]): readonly AgentEnded[] => {
    if (agent.kind !== 'ended' || agent.isNoted) return [];
    const { launchId, window, exit } = agent;
    return [{ kind: 'agent-ended', taskId: task.fields.id, role, launchId, window, exit }];
  });
}

const UNKNOWN_EXIT: AgentExit = { status: null, signal: null, hasScreen: false };
const OVER: Life = { isAlive: false, isInDoubt: false, exit: null };
const NOTHING_SEEN: AgentLook = { ended: [], againInMs: null };
// A server with hundreds of terminals closes them one by one before it is gone itself.
const DOUBT_MS = 1000;
// One that exits may live on, and only tells whoever reaches it.
const LONGEST_DOUBT_MS = 10_000;
const LOOK_AGAIN_MS = 50;
const UNSEEN_AGAIN_MS = 1000;
const LOST_AGAIN_MS = 200;
