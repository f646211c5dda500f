import type { Decision, SectionEdit } from '../domain/decision.js';
import type { TaskRequest } from '../domain/request.js';
import type { TaskState, World } from '../domain/world.js';
import { refuseAction, type Asked } from './refuse-action.js';
import { refuseMissingHarness } from './edit-task.js';
import { makeMove } from './make-move.js';
import { refuse } from './update-task.js';
import { settingsFor } from './world-queries.js';

/**
 * Writes a verdict in the seed's grammar and follows it in the same step. A person who says FAIL to
 * a task that waits for them sends it back to work with what they wrote.
 */
export function reviewTask(
  world: World,
  task: TaskState,
  request: Extract<TaskRequest, { kind: 'task.review' }>,
  asked: Asked,
): Decision {
  const refusal = refuseAction(task, 'review', asked);
  if (refusal !== null) return refuse(refusal, task.fields.id);
  const { review_round: round, status: from } = task.fields;
  if (asked.actor === 'agent' && task.reviewStartedRound !== round) {
    const to = request.verdict === 'PASS' ? 'reviewing' : 'working';
    return refuse({ kind: 'move-refused', from, to, because: { kind: 'reviewer-not-started' } });
  }
  const { verdict } = request;
  if (from === 'reviewing' && (verdict === 'PASS' || asked.actor === 'agent')) {
    const action = `review with ${verdict}`;
    return refuse({ kind: 'wrong-status', action, status: from, allowed: ['agent-review'] });
  }
  const sections = [reviewSection(verdict, request.text)];
  const evidence = {
    actor: asked.actor,
    reason: '## Review found',
    facts: { verdict, round },
    sections,
  };
  if (from === 'reviewing') {
    const message = { kind: 'changes-requested', text: request.text } as const;
    return makeMove(world, task, { ...evidence, to: 'working', message }, asked.moment);
  }
  if (verdict === 'PASS') {
    return makeMove(world, task, { ...evidence, to: 'reviewing' }, asked.moment);
  }
  if (round >= settingsFor(world, task.fields.project).policy.maxReviewRounds) {
    return makeMove(world, task, { ...evidence, to: 'stuck' }, asked.moment);
  }
  const message = { kind: 'review-failed', round } as const;
  return makeMove(world, task, { ...evidence, to: 'working', message }, asked.moment);
}

/** A person sends a task that waits for them back to its worker, with what they want changed. */
export function requestChanges(
  world: World,
  task: TaskState,
  { text }: Extract<TaskRequest, { kind: 'task.request-changes' }>,
  asked: Asked,
): Decision {
  const refusal =
    refuseAction(task, 'request-changes', asked) ?? refuseMissingHarness(world, task, 'working');
  if (refusal !== null) return refuse(refusal, task.fields.id);
  const order = {
    to: 'working',
    actor: asked.actor,
    reason: 'changes requested',
    sections: [reviewSection('FAIL', text)],
    message: { kind: 'changes-requested', text },
  } as const;
  return makeMove(world, task, order, asked.moment);
}

function reviewSection(verdict: 'PASS' | 'FAIL', words: string): SectionEdit {
  const text = `Verdict: ${verdict}\n${words === '' ? '' : `\n${words}\n`}`;
  return { kind: 'set', section: 'Review', text };
}
