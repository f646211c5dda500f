import type { Decision, RuntimeEdit } from '../domain/decision.js';
import type { Effect } from '../domain/effect.js';
import type { EventDraft } from '../domain/history-event.js';
import type { Moment } from '../domain/observation.js';
import type { Role } from '../domain/session.js';
import type { Policy } from '../domain/settings.js';
import type { EndedAgent, TaskState, World } from '../domain/world.js';
import { noteInterruption, respawnAfterInterruption } from './interruption.js';
import { makeMove } from './make-move.js';
import { exitFacts, keepScreenOf, noteEnd, placeFacts, transcriptFact } from './note-end.js';
import { restartAgent } from './restart-agent.js';
import { decideUpdate } from './update-task.js';
import { settingsFor } from './world-queries.js';

type End = {
  readonly role: Role;
  readonly agent: EndedAgent;
  /** What the agent should have left behind. */
  readonly missing: string;
};

/**
 * What follows when an agent has ended without its artifact. Taken down with its server or machine
 * it goes on by policy; otherwise the crash is recorded once, then the agent is started again after
 * a back-off, or the task is stuck when the limit is reached.
 */
export function afterEnd(world: World, task: TaskState, end: End, moment: Moment): Decision | null {
  const { role, agent } = end;
  const { policy } = settingsFor(world, task.fields.project);
  if (agent.isNoted) return restartAgent(world, task, role, moment);
  const { interruptedBy: cause } = agent.exit;
  if (cause !== undefined) return noteInterruption(task, { role, agent, cause, policy }, moment);
  const crash = describeCrash(task, end);
  if (crash.crashCount >= policy.crashLimit) return countAndStop(world, task, crash, moment);
  const { crashCount } = crash;
  const respawnAtMs = respawnTime(policy, agent, { crashCount, nowMs: moment.monotonicMs });
  return decideUpdate(
    task,
    {
      fields: { crash_count: crashCount },
      extensions: crash.extensions,
      events: [crash.event],
      runtime: {
        ...noted(role, agent, moment),
        awaitsTurn: false,
        respawnAtMs,
      },
    },
    respawnAtMs === null ? [...crash.effects, tellOfCrash(task)] : crash.effects,
  );
}

/** An agent that stays down waits for a person. */
function tellOfCrash({ fields }: TaskState): Effect {
  return { kind: 'notify-human', taskId: fields.id, cause: 'crashed' };
}

/** When an agent whose end is noted is started again: monotonic time, or null for never by itself. */
export function respawnTime(
  policy: Policy,
  { exit }: Pick<EndedAgent, 'exit'>,
  about: { readonly crashCount: number; readonly nowMs: number },
): number | null {
  if (exit.interruptedBy !== undefined) return respawnAfterInterruption(policy, about.nowMs);
  if (!policy.autoRespawn) return null;
  return about.nowMs + backoffMs(policy, Math.max(1, about.crashCount));
}

/** How long to wait before the n-th respawn in a row; the last figure repeats. */
export function backoffMs(policy: Policy, crashCount: number): number {
  const steps = policy.respawnBackoffSeconds;
  const seconds = steps[Math.min(crashCount, steps.length) - 1] ?? 0;
  return seconds * 1000;
}

type Crash = End & {
  readonly crashCount: number;
  readonly reason: string;
  readonly event: EventDraft;
  readonly extensions: Readonly<Record<string, null>>;
  readonly effects: readonly Effect[];
};

function describeCrash(task: TaskState, end: End): Crash {
  const { agent } = end;
  const { status } = task.fields;
  const crashCount = task.fields.crash_count + 1;
  const reason = crashReason(end);
  const isStale = hasFailedToResume(task, end);
  return {
    ...end,
    crashCount,
    reason,
    event: {
      type: 'agent.crashed',
      status,
      crash_count: crashCount,
      reason,
      ...exitFacts(agent),
      ...placeFacts(agent),
      ...transcriptFact(agent),
      ...(isStale ? { conversation: 'dropped' } : {}),
    },
    extensions: isStale ? { harness_session: null } : {},
    effects: keepScreenOf(task, agent),
  };
}

function crashReason({ agent, missing }: End): string {
  if (agent.startFailure !== undefined) return `could not start: ${agent.startFailure}`;
  const { status } = agent.exit;
  if (status === 127) return `${missing}: command not found`;
  return status === 126 ? `${missing}: command cannot be run` : missing;
}

/**
 * A conversation that cannot be taken up ends its agent at once, every time. One that ended so early
 * holds nothing yet that is worth another try.
 */
function hasFailedToResume({ extensions }: TaskState, { role, agent }: End): boolean {
  const { status, signal, ranMs } = agent.exit;
  const endedEarly = ranMs !== undefined && ranMs < EARLY_MS && status !== null && signal === null;
  return role === 'worker' && endedEarly && extensions['harness_session'] !== undefined;
}

const EARLY_MS = 15_000;

function countAndStop(world: World, task: TaskState, crash: Crash, moment: Moment): Decision {
  const order = {
    to: 'stuck',
    actor: 'daemon',
    reason: crash.reason,
    before: [crash.event],
    fields: { crash_count: crash.crashCount },
  } as const;
  const decision = makeMove(world, task, order, moment);
  return {
    ...decision,
    effects: [...crash.effects, ...decision.effects],
    changes: decision.changes.map((change) =>
      change.kind !== 'update-task'
        ? change
        : {
            ...change,
            extensions: { ...change.extensions, ...crash.extensions },
            // A reviewer is not missed in `stuck`.
            runtime:
              crash.role === 'worker'
                ? { ...change.runtime, ...noted('worker', crash.agent, moment) }
                : change.runtime,
          },
    ),
  };
}

function noted(role: Role, agent: EndedAgent, { timestamp }: Moment): RuntimeEdit {
  const end = noteEnd(agent, timestamp);
  return role === 'worker' ? { worker: end } : { reviewer: end };
}
