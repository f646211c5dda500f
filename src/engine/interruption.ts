import type { Decision } from '../domain/decision.js';
import type { Effect } from '../domain/effect.js';
import type { Moment } from '../domain/observation.js';
import type { Interruption, Role } from '../domain/session.js';
import type { Policy } from '../domain/settings.js';
import type { EndedAgent, TaskState } from '../domain/world.js';
import { exitFacts, noteEnd, placeFacts } from './note-end.js';
import { decideUpdate } from './update-task.js';

/**
 * An agent that went down with its server or machine is noted once and counted against nobody. By
 * policy it is started again, or left for a person, who is told.
 */
export function noteInterruption(
  task: TaskState,
  found: {
    readonly role: Role;
    readonly agent: EndedAgent;
    readonly cause: Interruption;
    readonly policy: Policy;
  },
  moment: Moment,
): Decision {
  const { role, agent, cause, policy } = found;
  const noted = noteEnd(agent, moment.timestamp);
  const respawnAtMs = respawnAfterInterruption(policy, moment.monotonicMs);
  const { status } = task.fields;
  const event = {
    type: 'agent.interrupted',
    status,
    cause,
    ...exitFacts(agent),
    ...placeFacts(agent),
  };
  return decideUpdate(
    task,
    {
      events: [event],
      runtime: {
        ...(role === 'worker' ? { worker: noted } : { reviewer: noted }),
        respawnAtMs,
        awaitsTurn: false,
      },
    },
    respawnAtMs === null ? leaveToPerson(task, agent.window) : [],
  );
}

/** An agent may have outlived its terminal; one that is shown as dead must be. */
function leaveToPerson(task: TaskState, window: string): readonly Effect[] {
  const { id: taskId, tmux_session: session } = task.fields;
  const ending = session === null ? [] : [{ kind: 'end-window', taskId, session, window } as const];
  return [...ending, { kind: 'notify-human', taskId, cause: 'interrupted' }];
}

/** At once, where agents may be started again without being asked for; monotonic time. */
export function respawnAfterInterruption(policy: Policy, nowMs: number): number | null {
  return policy.autoRespawn && policy.afterInterruption === 'resume' ? nowMs : null;
}
