import type { Decision } from '../domain/decision.js';
import type { Moment } from '../domain/observation.js';
import type { Role } from '../domain/session.js';
import type { TaskState, World } from '../domain/world.js';
import { resolveClaims } from './resolve-claims.js';
import { afterEnd } from './crash-policy.js';
import { tellAgain } from './deliver-message.js';
import { gateMode, hasFreshHandoff } from './gates.js';
import { handOver } from './hand-over.js';
import { rewriteLost } from './lost-file.js';
import { makeMove } from './make-move.js';
import { planMerge, refuseOpenPullRequest } from './merge-task.js';
import { countingVerdict, refuseMove } from './moves.js';
import { noteUnawaitedEnd } from './note-end.js';
import { denyPlan, inTheWay } from './reservations/hold-plan.js';
import { restartAgent } from './restart-agent.js';
import { isRestart, planStart } from './start-agent.js';
import { decideUpdate } from './update-task.js';
import { isRunning, settingsFor } from './world-queries.js';

/**
 * The next thing that must happen to a task as it now is, or null when it can only wait.
 * It depends on the state alone, so looking twice at the same state decides the same.
 */
export function advance(world: World, task: TaskState, moment: Moment): Decision | null {
  if (task.activity !== null) return null;
  return rewriteLost(task, moment) ?? advanceFile(world, task, moment) ?? tellAgain(task, moment);
}

function advanceFile(world: World, task: TaskState, moment: Moment): Decision | null {
  if (task.problems.length > 0) return null;
  if (task.claims !== null) return task.isSettled ? resolveClaims(world, task, moment) : null;
  return advanceStatus(world, task, moment) ?? noteUnawaitedEnd(task, moment);
}

function advanceStatus(world: World, task: TaskState, moment: Moment): Decision | null {
  switch (task.fields.status) {
    case 'planning':
      return advancePlanning(world, task, moment);
    case 'working':
      return advanceWorking(world, task, moment);
    case 'agent-review':
      return advanceReview(world, task, moment);
    case 'reviewing':
      return advanceMerge(world, task);
    case 'pending':
    case 'clarification':
    case 'stuck':
    case 'done':
    case 'cancelled':
      return null;
  }
}

function advancePlanning(world: World, task: TaskState, moment: Moment): Decision | null {
  const settings = settingsFor(world, task.fields.project);
  const refusal = refuseMove({ task, to: 'working', actor: 'daemon', settings });
  if (task.isSettled && refusal === null) {
    return acceptPlan(world, task, moment);
  }
  if (refusal?.kind === 'gate-closed') return awaitPlanGate(task, refusal.mode, moment);
  return keepAgent(world, task, { role: 'worker', missing: 'no ## Plan' }, moment);
}

/** The Plan takes the files it names, or waits for those who have them. */
function acceptPlan(world: World, task: TaskState, moment: Moment): Decision | null {
  const others = inTheWay(world, task);
  if (others.length > 0) return denyPlan(task, others, moment);
  const order = { to: 'working', actor: 'daemon', reason: '## Plan found' } as const;
  const hasWaited = task.reservation.deniedSince !== null || task.gates.planWaitsSince !== null;
  const message = hasWaited ? { message: { kind: 'go-on', status: 'working' } as const } : {};
  return makeMove(world, task, { ...order, ...message }, moment);
}

/** A Plan that waits for a person is told once. */
function awaitPlanGate(task: TaskState, mode: string, moment: Moment): Decision | null {
  if (!task.isSettled || task.gates.planWaitsSince !== null) return null;
  return decideUpdate(
    task,
    {
      events: [{ type: 'gate.waiting', gate: 'plan', mode }],
      runtime: { gates: { ...task.gates, planWaitsSince: moment.timestamp } },
    },
    [{ kind: 'notify-human', taskId: task.fields.id, cause: 'plan-gate' }],
  );
}

function advanceWorking(world: World, task: TaskState, moment: Moment): Decision | null {
  const settings = settingsFor(world, task.fields.project);
  const waitsForEnd = settings.policy.advanceHandoff === 'exit' && isRunning(task.worker);
  if (task.isSettled && hasFreshHandoff(task) && !waitsForEnd) {
    const order = { actor: 'daemon', reason: '## Handoff found' } as const;
    return handOver(world, task, order, moment);
  }
  return keepAgent(world, task, { role: 'worker', missing: 'no ## Handoff' }, moment);
}

function advanceReview(world: World, task: TaskState, moment: Moment): Decision | null {
  const verdict = task.isSettled ? countingVerdict(task) : null;
  if (verdict === null) {
    return keepAgent(world, task, { role: 'reviewer', missing: 'no ## Review' }, moment);
  }
  const round = task.fields.review_round;
  const max = settingsFor(world, task.fields.project).policy.maxReviewRounds;
  const evidence = {
    actor: 'daemon',
    reason: '## Review found',
    facts: { verdict, round },
  } as const;
  if (verdict === 'PASS') return makeMove(world, task, { ...evidence, to: 'reviewing' }, moment);
  if (round >= max) return makeMove(world, task, { ...evidence, to: 'stuck' }, moment);
  const message = { kind: 'review-failed', round } as const;
  return makeMove(world, task, { ...evidence, to: 'working', message }, moment);
}

function advanceMerge(world: World, task: TaskState): Decision | null {
  const settings = settingsFor(world, task.fields.project);
  const mode = gateMode(task, settings, 'merge');
  if ((mode !== 'auto' && mode !== 'skip') || task.mergeTrouble !== null) return null;
  if (refuseOpenPullRequest(task) !== null) return null;
  return decideUpdate(task, { runtime: { activity: 'merging' } }, [
    planMerge(world, task, 'daemon'),
  ]);
}

/** Starts the agent a status needs when there is none, and deals with one that has ended. */
function keepAgent(
  world: World,
  task: TaskState,
  { role, missing }: { readonly role: Role; readonly missing: string },
  moment: Moment,
): Decision | null {
  const agent = role === 'worker' ? task.worker : task.reviewer;
  if (agent.kind === 'ended') return afterEnd(world, task, { role, agent, missing }, moment);
  if (agent.kind !== 'absent') return null;
  const trouble = task.startTrouble;
  if (trouble !== null && moment.monotonicMs < trouble.retryAtMs) return null;
  const order = { role, isResuming: task.fields.tmux_session !== null, message: null } as const;
  if (isRestart(task, order)) {
    // Nothing is known of how it ended, so it is due at once.
    const respawnAtMs = task.respawnAtMs ?? moment.monotonicMs;
    return restartAgent(world, { ...task, respawnAtMs }, role, moment);
  }
  const start = planStart(world, task, order, moment);
  return start === null ? null : decideUpdate(task, { runtime: start.runtime }, [start.effect]);
}
