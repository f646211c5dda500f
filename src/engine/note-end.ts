import type { Decision } from '../domain/decision.js';
import type { Effect } from '../domain/effect.js';
import type { EventDraft } from '../domain/history-event.js';
import type { Moment } from '../domain/observation.js';
import { neededRole } from '../domain/session.js';
import { isTerminal } from '../domain/status.js';
import type { EndedAgent, TaskState } from '../domain/world.js';
import { decideUpdate } from './update-task.js';

/** An end that the history knows of; when it was seen stands in where nobody recorded its time. */
export function noteEnd(agent: EndedAgent, seenAt: string): EndedAgent {
  const { endedAt = seenAt } = agent.exit;
  return { ...agent, exit: { ...agent.exit, endedAt }, isNoted: true };
}

/**
 * The end of a worker that nobody awaits now, because a person or a reviewer is at it: written down
 * once, counted against nobody, and nothing follows from it.
 */
export function noteUnawaitedEnd(task: TaskState, moment: Moment): Decision | null {
  const { worker, fields } = task;
  const { status } = fields;
  const isIdle = neededRole(status) !== 'worker' && status !== 'pending' && !isTerminal(status);
  if (!isIdle || worker.kind !== 'ended' || worker.isNoted) return null;
  // What never ran is known as a start that failed.
  if (worker.startFailure !== undefined) return null;
  const { interruptedBy } = worker.exit;
  const event = {
    type: 'agent.ended',
    status,
    ...exitFacts(worker),
    ...(interruptedBy === undefined ? {} : { interrupted_by: interruptedBy }),
    ...placeFacts(worker),
    ...transcriptFact(worker),
  };
  return decideUpdate(
    task,
    { events: [event], runtime: { worker: noteEnd(worker, moment.timestamp) } },
    keepScreenOf(task, worker),
  );
}

type Facts = Omit<EventDraft, 'type'>;

/** How an agent ended, for an event. */
export function exitFacts({ exit }: EndedAgent): Facts {
  return {
    exit_status: exit.status,
    ...(exit.signal === null ? {} : { signal: exit.signal }),
  };
}

/** Which agent it was, for an event. */
export function placeFacts({ window, launchId: launch }: EndedAgent): Facts {
  return { window, launch };
}

/** Where its last screen is kept, for an event; nothing where there is none. */
export function transcriptFact(agent: EndedAgent): Facts {
  return agent.exit.hasScreen ? { transcript: `transcripts/${transcriptOf(agent)}` } : {};
}

/** What keeps the last screen under the name that the event gives. */
export function keepScreenOf({ fields }: TaskState, agent: EndedAgent): readonly Effect[] {
  if (!agent.exit.hasScreen) return [];
  const { window } = agent;
  const transcript = transcriptOf(agent);
  return [{ kind: 'keep-screen', taskId: fields.id, window, transcript }];
}

function transcriptOf({ window, launchId }: EndedAgent): string {
  return `${window}-${launchId}.txt`;
}
