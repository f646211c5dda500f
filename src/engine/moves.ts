import type { MoveRefusal } from '../domain/move-refusal.js';
import type { Actor } from '../domain/request.js';
import type { Settings } from '../domain/settings.js';
import { isTerminal, type Status } from '../domain/status.js';
import type { TaskState } from '../domain/world.js';
import { gateMode, hasApprovedPlan, hasCountingPlan } from './gates.js';

/*
 *                 ┌────────── requeue ──────────┐
 *                 ▼                             │
 *  pending ──► planning ──► working ──► agent-review ──► reviewing ──► done
 *                 │  ▲  Plan  │ ▲  Handoff │   │  PASS       │
 *                 ▼  │        ▼ │          │   └─ FAIL ──► working (round < max)
 *              clarification ◄──┘          │                  stuck  (round = max)
 *                                          │
 *  planning, working, agent-review ──► stuck ──► planning, working, reviewing (a human)
 *  any but done, cancelled ──► cancelled, done (a human)
 */

type Need =
  | 'nothing'
  | 'plan'
  | 'handoff'
  | 'handoff-and-open-review-gate'
  | 'pass'
  | 'fail-with-rounds-left'
  | 'fail-in-last-round'
  | 'way-back';

type Move = {
  readonly from: Status;
  readonly to: Status;
  readonly needs: Need;
  /** Whether an agent may ask for it. */
  readonly forAgents: boolean;
};

const MOVES: readonly Move[] = [
  { from: 'pending', to: 'planning', needs: 'nothing', forAgents: false },
  { from: 'planning', to: 'working', needs: 'plan', forAgents: true },
  { from: 'planning', to: 'clarification', needs: 'nothing', forAgents: true },
  { from: 'working', to: 'clarification', needs: 'nothing', forAgents: true },
  { from: 'clarification', to: 'planning', needs: 'nothing', forAgents: true },
  { from: 'clarification', to: 'working', needs: 'way-back', forAgents: true },
  { from: 'working', to: 'agent-review', needs: 'handoff', forAgents: true },
  { from: 'agent-review', to: 'reviewing', needs: 'pass', forAgents: true },
  { from: 'agent-review', to: 'working', needs: 'fail-with-rounds-left', forAgents: true },
  { from: 'agent-review', to: 'stuck', needs: 'nothing', forAgents: true },
  { from: 'working', to: 'reviewing', needs: 'handoff-and-open-review-gate', forAgents: false },
  { from: 'reviewing', to: 'working', needs: 'nothing', forAgents: false },
  { from: 'planning', to: 'stuck', needs: 'nothing', forAgents: true },
  { from: 'working', to: 'stuck', needs: 'nothing', forAgents: true },
  { from: 'stuck', to: 'planning', needs: 'nothing', forAgents: false },
  { from: 'stuck', to: 'working', needs: 'nothing', forAgents: false },
  { from: 'stuck', to: 'reviewing', needs: 'nothing', forAgents: false },
  { from: 'planning', to: 'pending', needs: 'nothing', forAgents: false },
  { from: 'working', to: 'pending', needs: 'nothing', forAgents: false },
];

/** Whether the table knows the move at all, whatever the gates say. */
export function isLegalMove(from: Status, to: Status): boolean {
  return findMove(from, to) !== null;
}

/** Why this actor may not make this move now, or null when it may. */
export function refuseMove(input: {
  readonly task: TaskState;
  readonly to: Status;
  readonly actor: Actor;
  readonly settings: Settings;
}): MoveRefusal | null {
  const { task, to, actor, settings } = input;
  if (isTerminal(task.fields.status)) return { kind: 'terminal' };
  const move = findMove(task.fields.status, to);
  if (move === null) return { kind: 'no-such-move' };
  if (actor === 'agent' && !move.forAgents) return { kind: 'not-for-agents' };
  return refuseByGate(move, input) ?? refuseByPolicy(move, actor, { task, settings });
}

function findMove(from: Status, to: Status): Move | null {
  if (isTerminal(from) || from === to) return null;
  if (isTerminal(to)) return { from, to, needs: 'nothing', forAgents: false };
  return MOVES.find((move) => move.from === from && move.to === to) ?? null;
}

function refuseByGate(
  move: Move,
  input: { readonly task: TaskState; readonly actor: Actor; readonly settings: Settings },
): MoveRefusal | null {
  const { task, settings, actor } = input;
  // A person who has rejected a Plan may think again.
  const hasPlan = actor === 'human' ? task.artifacts.hasValidPlan : hasCountingPlan(task);
  switch (move.needs) {
    case 'nothing':
      return null;
    case 'plan':
      return hasPlan ? null : { kind: 'artifact-missing', section: 'Plan' };
    case 'way-back':
      return task.cameFrom === 'working' || hasPlan
        ? null
        : { kind: 'artifact-missing', section: 'Plan' };
    case 'handoff':
      return task.artifacts.hasValidHandoff
        ? null
        : { kind: 'artifact-missing', section: 'Handoff' };
    case 'handoff-and-open-review-gate':
      if (!task.artifacts.hasValidHandoff) return { kind: 'artifact-missing', section: 'Handoff' };
      return gateMode(task, settings, 'review') === 'ai'
        ? { kind: 'gate-closed', gate: 'review', mode: 'ai' }
        : null;
    case 'pass':
    case 'fail-with-rounds-left':
    case 'fail-in-last-round':
      return refuseByVerdict(move.needs, task, settings.policy.maxReviewRounds);
  }
}

function refuseByVerdict(
  needs: 'pass' | 'fail-with-rounds-left' | 'fail-in-last-round',
  task: TaskState,
  max: number,
): MoveRefusal | null {
  const verdict = countingVerdict(task);
  if (verdict === null) {
    return task.reviewStartedRound === task.fields.review_round
      ? { kind: 'artifact-missing', section: 'Review' }
      : { kind: 'reviewer-not-started' };
  }
  const round = task.fields.review_round;
  if (needs === 'pass') return verdict === 'PASS' ? null : { kind: 'verdict-says', verdict };
  if (verdict === 'PASS') return { kind: 'verdict-says', verdict };
  if (needs === 'fail-with-rounds-left') {
    return round < max ? null : { kind: 'rounds-used', round, max };
  }
  return round >= max ? null : { kind: 'rounds-left', round, max };
}

/**
 * The verdict that counts: the old Review was moved out when the round began, so what stands there
 * was written in it, unless a copy of the file from before the round has just been saved over it.
 */
export function countingVerdict(task: TaskState): 'PASS' | 'FAIL' | null {
  const { artifacts, fields } = task;
  if (task.reviewStartedRound !== fields.review_round || fields.review_round === 0) return null;
  return isFromEarlierRound(task) ? null : artifacts.verdict;
}

/** Whether the file as it was last read is a copy from before this round of review. */
export function isFromEarlierRound({ claims, fields }: TaskState): boolean {
  return claims !== null && claims.fields.review_round < fields.review_round;
}

function refuseByPolicy(
  move: Move,
  actor: Actor,
  { task, settings }: { readonly task: TaskState; readonly settings: Settings },
): MoveRefusal | null {
  if (actor === 'human' || !passesPlanGate(move, task) || hasApprovedPlan(task)) return null;
  const mode = gateMode(task, settings, 'plan');
  return mode === 'human' || mode === 'ai' ? { kind: 'gate-closed', gate: 'plan', mode } : null;
}

/** Asking a question on the way is no way around the plan gate. */
function passesPlanGate({ from, to }: Move, task: TaskState): boolean {
  if (to !== 'working') return false;
  return from === 'planning' || (from === 'clarification' && task.cameFrom !== 'working');
}
