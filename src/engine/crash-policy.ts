import type { Decision } from '../domain/decision.js';
import type { EventDraft } from '../domain/history-event.js';
import type { Moment } from '../domain/observation.js';
import type { Role } from '../domain/session.js';
import type { Policy } from '../domain/settings.js';
import type { AgentState, TaskState, World } from '../domain/world.js';
import { noteInterruption, respawnAfterInterruption } from './interruption.js';
import { makeMove } from './make-move.js';
import { restartAgent } from './restart-agent.js';
import { decideUpdate } from './update-task.js';
import { settingsFor } from './world-queries.js';

type Ended = Extract<AgentState, { kind: 'ended' }>;

/**
 * What follows when an agent has ended without its artifact. Taken down with its server or machine
 * it goes on by policy; otherwise the crash is recorded once, then the agent is started again after
 * a back-off, or the task is stuck when the limit is reached.
 */
export function afterEnd(
  world: World,
  task: TaskState,
  {
    role,
    agent,
    missing,
  }: { readonly role: Role; readonly agent: Ended; readonly missing: string },
  moment: Moment,
): Decision | null {
  const { policy } = settingsFor(world, task.fields.project);
  const reason =
    agent.startFailure === undefined ? missing : `could not start: ${agent.startFailure}`;
  if (agent.isNoted) return restartAgent(world, task, role, moment);
  const { interruptedBy: cause } = agent.exit;
  if (cause !== undefined) return noteInterruption(task, { role, agent, cause, policy }, moment);
  const crashCount = task.fields.crash_count + 1;
  const transcript = `${agent.window}-${agent.launchId}.txt`;
  const transcripts =
    agent.exit.screen.length === 0
      ? []
      : [{ name: transcript, text: `${agent.exit.screen.join('\n')}\n` }];
  const crashed = crashEvent(task, agent, {
    crashCount,
    missing: reason,
    transcript: transcripts.length === 0 ? null : transcript,
  });
  if (crashCount >= policy.crashLimit) {
    return countAndStop(
      world,
      task,
      { crashed, crashCount, missing: reason, transcripts, role, agent },
      moment,
    );
  }
  return decideUpdate(task, {
    fields: { crash_count: crashCount },
    events: [crashed],
    transcripts,
    runtime: {
      ...(role === 'worker'
        ? { worker: { ...agent, isNoted: true } }
        : { reviewer: { ...agent, isNoted: true } }),
      awaitsTurn: false,
      respawnAtMs: respawnTime(policy, agent, { crashCount, nowMs: moment.monotonicMs }),
    },
  });
}

/** When an agent whose end is noted is started again: monotonic time, or null for never by itself. */
export function respawnTime(
  policy: Policy,
  { exit }: Pick<Ended, 'exit'>,
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

function countAndStop(
  world: World,
  task: TaskState,
  crash: {
    readonly crashed: EventDraft;
    readonly crashCount: number;
    readonly missing: string;
    readonly transcripts: readonly { readonly name: string; readonly text: string }[];
    readonly role: Role;
    readonly agent: Ended;
  },
  moment: Moment,
): Decision {
  const order = {
    to: 'stuck',
    actor: 'daemon',
    reason: crash.missing,
    before: [crash.crashed],
    fields: { crash_count: crash.crashCount },
  } as const;
  const decision = makeMove(world, task, order, moment);
  const counted = { ...crash.agent, isNoted: true };
  return {
    ...decision,
    changes: decision.changes.map((change) =>
      change.kind !== 'update-task'
        ? change
        : {
            ...change,
            transcripts: crash.transcripts,
            runtime: { ...change.runtime, ...(crash.role === 'worker' ? { worker: counted } : {}) },
          },
    ),
  };
}

function crashEvent(
  task: TaskState,
  agent: Ended,
  facts: {
    readonly crashCount: number;
    readonly missing: string;
    readonly transcript: string | null;
  },
): EventDraft {
  return {
    type: 'agent.crashed',
    status: task.fields.status,
    crash_count: facts.crashCount,
    reason: facts.missing,
    exit_status: agent.exit.status,
    ...(agent.exit.signal === null ? {} : { signal: agent.exit.signal }),
    window: agent.window,
    launch: agent.launchId,
    ...(facts.transcript === null ? {} : { transcript: `transcripts/${facts.transcript}` }),
  };
}
