import { describe, expect, it } from 'vitest';
import type { Actor } from '../../src/domain/request.js';
import { decide } from '../../src/engine/decide.js';
import { updateOf } from '../builders/decision-parts.js';
import { buildTaskIn, type TaskParts } from '../builders/task.js';
import { buildWorld, momentAt } from '../builders/world.js';

function review(
  verdict: 'PASS' | 'FAIL',
  given: { readonly task?: TaskParts; readonly actor?: Actor; readonly text?: string } = {},
) {
  const task = buildTaskIn('agent-review', given.task);
  const { actor = 'agent', text = '' } = given;
  const request = { kind: 'task.review', taskId: task.fields.id, verdict, text } as const;
  const seen = { kind: 'request', request, actor, newId: 'unused' } as const;
  return decide(buildWorld({ tasks: [task] }), seen, momentAt());
}

const inRound = (round: number): TaskParts => ({
  reviewStartedRound: round,
  fields: { review_round: round },
});

describe('task review', () => {
  it('ORA-58 writes the verdict in the seed’s grammar and follows it in one step', () => {
    const decision = review('PASS', { text: 'Well done.' });
    expect(updateOf(decision)).toMatchObject({
      sections: [{ kind: 'set', section: 'Review', text: 'Verdict: PASS\n\nWell done.\n' }],
      fields: { status: 'reviewing' },
      events: [
        {
          type: 'status.changed',
          from: 'agent-review',
          to: 'reviewing',
          by: 'agent',
          reason: '## Review found',
          verdict: 'PASS',
          round: 1,
        },
      ],
    });
    expect(decision.effects).toMatchObject([
      { kind: 'end-window', window: 'review-1' },
      { kind: 'mark-reviewed' },
      { kind: 'notify-human', cause: 'reviewing' },
    ]);
  });

  it('a FAIL with rounds left goes back to the worker, who is told to read it', () => {
    const decision = review('FAIL');
    expect(updateOf(decision).fields).toMatchObject({ status: 'working' });
    expect(decision.effects).toMatchObject([
      { kind: 'end-window' },
      { kind: 'tell-agent', window: 'worker', message: { kind: 'review-failed', round: 1 } },
    ]);
  });

  it('a FAIL in the last round makes the task stuck', () => {
    expect(updateOf(review('FAIL', { task: inRound(2) })).fields.status).toBe('stuck');
  });

  it('an agent is refused before a reviewer has started in this round', () => {
    expect(review('PASS', { task: { reviewStartedRound: 0 } })).toMatchObject({
      changes: [],
      failure: { kind: 'move-refused', because: { kind: 'reviewer-not-started' } },
    });
  });

  it('a person may give the verdict without any reviewer', () => {
    const decision = review('PASS', { actor: 'human', task: { reviewStartedRound: 0 } });
    expect(updateOf(decision).fields.status).toBe('reviewing');
  });
});

function ask(status: 'reviewing' | 'stuck' | 'working', actor: Actor = 'human') {
  const task = buildTaskIn(status);
  const request = {
    kind: 'task.request-changes',
    taskId: task.fields.id,
    text: 'Tidy.',
  } as const;
  const seen = { kind: 'request', request, actor, newId: 'unused' } as const;
  return decide(buildWorld({ tasks: [task] }), seen, momentAt());
}

describe('task request-changes', () => {
  it.each(['reviewing', 'stuck'] as const)(
    'a task that is %s goes back to its worker',
    (status) => {
      const decision = ask(status);
      expect(updateOf(decision)).toMatchObject({
        fields: { status: 'working' },
        sections: [{ kind: 'set', section: 'Review', text: 'Verdict: FAIL\n\nTidy.\n' }],
        events: [
          { type: 'status.changed', from: status, by: 'human', reason: 'changes requested' },
        ],
      });
      expect(decision.effects).toMatchObject([
        { kind: 'tell-agent', message: { kind: 'changes-requested', text: 'Tidy.' } },
      ]);
    },
  );

  it('is refused in other statuses, and to agents', () => {
    expect(ask('working').failure).toMatchObject({ kind: 'wrong-status' });
    expect(ask('reviewing', 'agent').failure).toMatchObject({ kind: 'not-for-agents' });
  });
});
