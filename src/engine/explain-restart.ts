import { describeNeed } from '../domain/describe-need.js';
import type { AgentExit } from '../domain/session.js';
import type { WaitReason } from '../domain/task-view.js';
import type { TaskState } from '../domain/world.js';

/** Why a task in work has no living agent, and what becomes of that; none when it has one. */
export function explainRestart(task: TaskState): readonly WaitReason[] {
  const agent = task.fields.status === 'agent-review' ? task.reviewer : task.worker;
  if (task.awaitsTurn) {
    const message = 'waits its turn to be started again: at most 10 restarts a minute';
    return [{ code: 'awaits-turn', message }];
  }
  if (agent.kind !== 'ended' || !agent.isNoted) return [];
  const { interruptedBy } = agent.exit;
  const ended = interruptedBy === undefined ? describeEnd(agent.exit) : CAUSES[interruptedBy];
  if (task.respawnAtMs !== null) {
    return [{ code: 'restarting', message: `${ended}; it is started again in a moment` }];
  }
  const kind = interruptedBy === undefined ? 'crashed' : 'interrupted';
  return [describeNeed({ kind, ended }, task.fields, agent.exit.endedAt)];
}

const CAUSES = {
  server: 'the tmux server died and took the agent along',
  reboot: 'the machine was restarted while the agent was at work',
} as const;

function describeEnd({ status, signal }: AgentExit): string {
  if (signal !== null) return `the agent was ended by ${signal}`;
  return status === null ? 'the agent is gone' : `the agent ended with exit status ${status}`;
}
