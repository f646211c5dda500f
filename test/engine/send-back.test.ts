import { describe, expect, it } from 'vitest';
import type { Actor } from '../../src/domain/request.js';
import { decide } from '../../src/engine/decide.js';
import { updateOf } from '../builders/decision-parts.js';
import { buildTaskIn } from '../builders/task.js';
import { buildWorld, momentAt } from '../builders/world.js';

function review(verdict: 'PASS' | 'FAIL', actor: Actor) {
  const task = buildTaskIn('reviewing');
  const request = { kind: 'task.review', taskId: task.fields.id, verdict, text: 'Add a label.' };
  const seen = { kind: 'request', request, actor, newId: 'unused' } as const;
  return decide(
    buildWorld({ tasks: [task] }),
    { ...seen, request: { ...request, kind: 'task.review' } },
    momentAt(),
  );
}

describe('a task that waits for a person', () => {
  it('goes back to work with what the person wrote', () => {
    const decision = review('FAIL', 'human');
    expect(updateOf(decision)).toMatchObject({
      fields: { status: 'working' },
      sections: [{ kind: 'set', section: 'Review', text: 'Verdict: FAIL\n\nAdd a label.\n' }],
      events: [{ type: 'status.changed', from: 'reviewing', to: 'working', by: 'human' }],
    });
    const message = { kind: 'changes-requested', text: 'Add a label.' };
    expect(decision.effects).toMatchObject([{ message }]);
  });

  it('is passed by merging, not by a verdict, and not judged by agents', () => {
    expect(review('PASS', 'human').failure).toMatchObject({ kind: 'wrong-status' });
    expect(review('FAIL', 'agent').failure).toMatchObject({ kind: 'wrong-status' });
  });
});
