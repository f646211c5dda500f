import { describe, expect, it } from 'vitest';
import type { Actor, TaskRequest } from '../../src/domain/request.js';
import type { Question } from '../../src/domain/section.js';
import { STATUSES, type Status } from '../../src/domain/status.js';
import { decide } from '../../src/engine/decide.js';
import { replayHistory } from '../../src/engine/replay-history.js';
import { updateOf } from '../builders/decision-parts.js';
import { buildTaskIn, endedAgent, TASK_ID, type TaskParts } from '../builders/task.js';
import { buildWorld, momentAt, type WorldParts } from '../builders/world.js';

type Given = { readonly task?: TaskParts; readonly actor?: Actor; readonly world?: WorldParts };

function request(wish: TaskRequest, status: Status, given: Given) {
  const task = buildTaskIn(status, given.task);
  const seen = { kind: 'request', request: wish, newId: 'unused' } as const;
  const world = buildWorld({ ...given.world, tasks: [task] });
  return decide(world, { ...seen, actor: given.actor ?? 'human' }, momentAt());
}

const ask = (status: Status, given: Given = {}) =>
  request({ kind: 'task.ask', taskId: TASK_ID, text: 'Which colour?' }, status, given);

const answer = (given: Given & { question?: number; text?: string; status?: Status } = {}) => {
  const { question = null, text = 'Blue.', status = 'clarification' } = given;
  return request({ kind: 'task.answer', taskId: TASK_ID, question, text }, status, given);
};

const question = (number: number, isAnswered = false): Question => ({
  number,
  text: `question ${number}`,
  isAnswered,
});
const asked = (...questions: readonly Question[]): TaskParts => ({ artifacts: { questions } });

describe('task ask', () => {
  it.each(['planning', 'working'] as const)(
    'ORA-41 ORA-65 writes the question and lets a %s task wait, in one replacement',
    (status) => {
      const decision = ask(status, { actor: 'agent' });
      expect(decision.changes).toHaveLength(1);
      expect(updateOf(decision)).toMatchObject({
        fields: { status: 'clarification' },
        sections: [{ kind: 'append', section: 'Questions', label: '1', text: 'Which colour?' }],
        events: [
          { type: 'question.asked', question: 1, by: 'agent' },
          { type: 'status.changed', from: status, to: 'clarification', by: 'agent' },
        ],
        runtime: { cameFrom: status },
      });
      expect(decision.effects).toMatchObject([{ kind: 'notify-human', cause: 'clarification' }]);
    },
  );

  it('numbers on from what an agent wrote by hand', () => {
    const task = asked(question(1, true), question(4));
    expect(updateOf(ask('working', { task })).sections).toMatchObject([{ label: '5' }]);
  });

  it('adds to the questions of a task that waits already, and tells the person', () => {
    const decision = ask('clarification', { actor: 'agent', task: asked(question(1)) });
    expect(updateOf(decision)).toMatchObject({
      fields: {},
      sections: [{ label: '2' }],
      events: [{ type: 'question.asked', question: 2 }],
    });
    expect(decision.effects).toMatchObject([{ kind: 'notify-human', cause: 'clarification' }]);
  });

  it.each(STATUSES.filter((status) => !/planning|working|clarification/.test(status)))(
    'is refused for a %s task',
    (status) => {
      expect(ask(status)).toMatchObject({
        changes: [],
        failure: { kind: 'wrong-status', allowed: ['planning', 'clarification', 'working'] },
      });
    },
  );
});

describe('task answer', () => {
  it.each([
    ['working', 'working'],
    ['planning', 'planning'],
    [null, 'planning'],
  ] as const)('brings a task that asked while %s back to %s and tells its worker', (from, to) => {
    const decision = answer({ task: { cameFrom: from, ...asked(question(1)) } });
    expect(updateOf(decision)).toMatchObject({
      fields: { status: to },
      sections: [{ kind: 'append', section: 'Answers', label: '1', text: 'Blue.' }],
      events: [
        { type: 'question.answered', questions: [1], text: 'Blue.', by: 'human' },
        { type: 'status.changed', from: 'clarification', to, by: 'human' },
      ],
    });
    const message = { kind: 'answered', status: to, questions: [1], text: 'Blue.' };
    expect(decision.effects).toMatchObject([{ kind: 'tell-agent', window: 'worker', message }]);
  });

  it('starts a worker that has ended again, resuming, with the answer', () => {
    const task = { ...asked(question(1)), worker: endedAgent('worker') };
    const decision = answer({ task });
    expect(decision.effects).toMatchObject([
      { kind: 'start-agent', role: 'worker', isResuming: true, message: { kind: 'answered' } },
    ]);
  });

  it('without a number answers every open question', () => {
    const task = asked(question(1, true), question(2), question(3));
    expect(updateOf(answer({ task }))).toMatchObject({
      fields: { status: 'planning' },
      sections: [{ label: '2, 3' }],
    });
  });

  it('to one of several keeps the task waiting for the others', () => {
    const decision = answer({ task: asked(question(1), question(2)), question: 2 });
    expect(updateOf(decision)).toMatchObject({
      fields: {},
      sections: [{ label: '2' }],
      events: [{ type: 'question.answered', questions: [2] }],
    });
    expect(decision.effects).toEqual([]);
  });

  it('to the last open question tells the worker those that were given before, too', () => {
    const first = answer({ task: asked(question(1), question(2)), question: 1, text: 'Blue' });
    const { runtime } = updateOf(first);
    expect(runtime).toEqual({ untoldAnswers: [{ questions: [1], text: 'Blue' }] });
    const task = { ...asked(question(1, true), question(2)), ...runtime };
    const last = answer({ task, text: '-rest' });
    const text = 'To question 1: Blue\n\nTo question 2: -rest';
    expect(last.effects).toMatchObject([
      { message: { kind: 'answered', questions: [1, 2], text } },
    ]);
    expect(updateOf(last).runtime).toMatchObject({ untoldAnswers: [] });
  });

  it.each([['Blue'], ['x'.repeat(5000)]])(
    'to one of several is as untold to the next daemon as to this one (%#)',
    (text) => {
      const first = answer({ task: asked(question(1), question(2)), question: 1, text });
      const { runtime, events } = updateOf(first);
      const replay = replayHistory(events.map((event) => ({ ...event, timestamp: '' })));
      expect(replay.untoldAnswers).toEqual(runtime.untoldAnswers);
      expect(JSON.stringify(events).length).toBeLessThan(4100);
      const task = { ...asked(question(1, true), question(2)), ...runtime };
      const last = answer({ task, text: 'Round' });
      const told = text.length > 4000 ? null : 'To question 1: Blue\n\nTo question 2: Round';
      expect(last.effects).toMatchObject([{ message: { questions: [1, 2], text: told } }]);
    },
  );

  it('to the last open question lets the task go on', () => {
    const decision = answer({ task: asked(question(1), question(2, true)), question: 1 });
    expect(updateOf(decision).fields.status).toBe('planning');
  });

  it('reaches an agent that waits without having written any question', () => {
    const decision = answer();
    expect(updateOf(decision)).toMatchObject({
      fields: { status: 'planning' },
      sections: [{ section: 'Answers', label: '' }],
    });
  });

  it('that is very long is not pasted: the agent is sent to the file', () => {
    const text = 'x'.repeat(5000);
    expect(answer({ text }).effects).toMatchObject([{ message: { kind: 'answered', text: null } }]);
    expect(updateOf(answer({ text })).sections).toMatchObject([{ text }]);
  });

  it('names the questions there are when the one meant does not exist', () => {
    expect(answer({ task: asked(question(1), question(2)), question: 7 })).toMatchObject({
      changes: [],
      failure: { kind: 'no-such-question', question: 7, known: [1, 2] },
    });
  });

  it('is refused while the task asks nothing, and to agents', () => {
    expect(answer({ status: 'working' })).toMatchObject({
      changes: [],
      failure: { kind: 'wrong-status', action: 'answer', allowed: ['clarification'] },
    });
    expect(answer({ actor: 'agent' }).failure).toMatchObject({ kind: 'not-for-agents' });
  });

  it('is refused, and nothing written, while the worker it would start is not installed', () => {
    const task = { ...asked(question(1)), worker: endedAgent('worker') };
    expect(answer({ task, world: { installedHarnesses: [] } })).toMatchObject({
      changes: [],
      failure: { kind: 'harness-not-installed' },
    });
  });
});
