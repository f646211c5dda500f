import { describeNeed } from '../domain/describe-need.js';
import type { Moment } from '../domain/observation.js';
import { neededRole } from '../domain/session.js';
import type { WaitReason } from '../domain/task-view.js';
import { ABSENT, type EndedAgent, type TaskState } from '../domain/world.js';

/** Why a task in work has no living agent, and what becomes of that; none when it has one. */
export function explainRestart(task: TaskState, moment: Moment): readonly WaitReason[] {
  const agent = missedAgent(task);
  if (task.awaitsTurn) {
    const message =
      'waits its turn to be started again: one agent after the other, ten a minute at most';
    return [{ code: 'awaits-turn', message }];
  }
  if (agent === null) return [];
  const { interruptedBy } = agent.exit;
  const ended = interruptedBy === undefined ? describeEnd(agent) : CAUSES[interruptedBy];
  if (task.respawnAtMs !== null) {
    const dueMs = moment.nowMs + task.respawnAtMs - moment.monotonicMs;
    return [{ code: 'restarting', message: `${ended}; it is started again`, dueMs }];
  }
  const kind = interruptedBy === undefined ? 'crashed' : 'interrupted';
  return [describeNeed({ kind, ended }, task.fields, agent.exit.endedAt)];
}

/** Whether the agent that a task in work cannot do without has ended, and nothing starts it again. */
export function staysDown(task: TaskState): boolean {
  return missedAgent(task) !== null && task.respawnAtMs === null;
}

/** The agent that a task in work cannot do without, once its end is noted. */
export function missedAgent(task: TaskState): EndedAgent | null {
  const role = neededRole(task.fields.status);
  const agent = role === null ? ABSENT : task[role];
  return agent.kind === 'ended' && agent.isNoted ? agent : null;
}

const CAUSES = {
  server: 'the tmux server died and took the agent along',
  reboot: 'the machine was restarted while the agent was at work',
  window: 'the agent had lost its window, so orange ended it',
} as const;

function describeEnd({ exit: { status, signal }, startFailure }: EndedAgent): string {
  if (startFailure !== undefined) return `the agent could not be started: ${startFailure}`;
  if (signal !== null) return `the agent was ended by ${signal}`;
  return status === null ? 'the agent is gone' : `the agent ended with exit status ${status}`;
}
