import { describe, expect, it } from 'vitest';
import type { Attention } from '../../src/domain/attention.js';
import type { Actor, ReportState } from '../../src/domain/request.js';
import { isTerminal, STATUSES, type Status } from '../../src/domain/status.js';
import { decide } from '../../src/engine/decide.js';
import { updateOf } from '../builders/decision-parts.js';
import { buildTaskIn, endedAgent, TASK_ID, type TaskParts } from '../builders/task.js';
import { buildWorld, momentAt } from '../builders/world.js';

type Given = {
  readonly status?: Status;
  readonly state?: ReportState | null;
  readonly text?: string | null;
  readonly launchId?: string | null;
  readonly actor?: Actor;
  readonly conversation?: string;
  readonly task?: TaskParts;
};

const NOW = momentAt(1000);
const STARTING = { kind: 'starting', launchId: 'worker-1', window: 'worker' } as const;

function report(given: Given = {}) {
  const { status = 'working', state = null, text = null, launchId = null } = given;
  const world = buildWorld({ tasks: [buildTaskIn(status, given.task)] });
  const { conversation } = given;
  const request = {
    kind: 'task.report',
    taskId: TASK_ID,
    state,
    text,
    launchId,
    ...(conversation === undefined ? {} : { conversation }),
  } as const;
  const actor = given.actor ?? 'agent';
  return decide(world, { kind: 'request', request, actor, newId: 'unused' }, NOW);
}

const attention = (kind: Attention['kind'], parts: Partial<Attention> = {}): TaskParts => ({
  attention: {
    kind,
    launchId: 'worker-1',
    since: '2026-01-01T08:00:00.000Z',
    reason: 'why',
    wasPolled: false,
    ...parts,
  },
});

describe('task report', () => {
  it.each(STATUSES.filter((status) => !isTerminal(status)))(
    'is written down in %s, by agents and people, and moves nothing',
    (status) => {
      for (const actor of ['agent', 'human'] as const) {
        const decision = report({ status, actor, state: 'working', text: 'half done' });
        expect(decision.failure).toBeNull();
        expect(updateOf(decision)).toMatchObject({
          fields: {},
          events: [
            { type: 'progress.reported', state: 'working', message: 'half done', by: actor },
          ],
          runtime: { reportedAt: NOW.timestamp },
        });
      }
    },
  );

  it.each(['done', 'cancelled'] as const)('is refused for a task that is %s', (status) => {
    expect(report({ status }).failure).toMatchObject({ kind: 'wrong-status', action: 'report on' });
  });

  it('that the agent waits tells a person, once', () => {
    const first = report({ state: 'waiting', text: 'may I?', launchId: 'worker-1' });
    expect(first.effects).toMatchObject([{ kind: 'notify-human', cause: 'waiting-for-human' }]);
    const { runtime, events } = updateOf(first);
    expect(runtime.attention).toMatchObject({
      kind: 'waiting-for-human',
      reason: 'may I?',
      since: NOW.timestamp,
    });
    expect(events).toMatchObject([{ state: 'waiting', launch: 'worker-1' }]);

    const task = attention('waiting-for-human');
    const again = report({ state: 'waiting', text: 'please', launchId: 'worker-1', task });
    expect(again.effects).toEqual([]);
    expect(updateOf(again).runtime.attention).toMatchObject({
      reason: 'please',
      since: '2026-01-01T08:00:00.000Z',
    });
  });

  it('says something even without words', () => {
    const { runtime } = updateOf(report({ state: 'waiting' }));
    expect(runtime.attention?.reason).toMatch(/waits/);
  });

  it.each([
    ['stalled', attention('stalled'), ['progress.reported', 'agent.resumed']],
    ['polled', attention('quiet', { wasPolled: true }), ['progress.reported', 'agent.resumed']],
    ['quiet', attention('quiet'), ['progress.reported']],
    ['waiting', attention('waiting-for-human'), ['progress.reported', 'agent.resumed']],
  ] as const)('F63 answers for an agent that was %s', (_, task, types) => {
    for (const state of ['working', 'done', null] as const) {
      const update = updateOf(report({ state, task, launchId: 'worker-1' }));
      expect(update.events.map(({ type }) => type)).toEqual(types);
      expect(update.runtime.attention).toBeNull();
    }
  });

  it('of the worker says nothing of the reviewer that the task waits for', () => {
    const update = updateOf(
      report({ status: 'agent-review', state: 'waiting', launchId: 'worker-1' }),
    );
    expect(update.runtime).toEqual({ reportedAt: NOW.timestamp });
    expect(update.events).toEqual([{ type: 'progress.reported', state: 'waiting', by: 'agent' }]);
  });
});

const known = (harness_session: string): TaskParts => ({ extensions: { harness_session } });

describe('the conversation in a report', () => {
  const ID = 'ses_0123456789';
  const told = { conversation: ID, state: 'waiting', launchId: 'worker-1' } as const;

  it.each(['planning', 'working', 'clarification', 'agent-review', 'reviewing', 'stuck'] as const)(
    'of the worker that lives is kept in %s, the newest of them',
    (status) => {
      for (const task of [{}, known('c0ffee-c0ffee')]) {
        const update = updateOf(report({ ...told, status, task }));
        expect(update.extensions).toEqual({ harness_session: ID });
        expect(update.events.at(-1)).toMatchObject({
          type: 'progress.reported',
          conversation: ID,
        });
      }
    },
  );

  it('that is known already writes nothing into TASK.md', () => {
    const update = updateOf(report({ ...told, task: known(ID) }));
    expect(update).toMatchObject({ fields: {}, extensions: {}, sections: [] });
    expect(update.events.at(-1)).not.toHaveProperty('conversation');
  });

  it.each([
    ['a reviewer', { status: 'agent-review', launchId: 'review-1-1' }],
    ['a worker that was replaced', { launchId: 'worker-0' }],
    ['a worker that has ended', { task: { worker: endedAgent('worker') } }],
    ['a worker that is only being started', { task: { worker: STARTING } }],
    ['a person', { launchId: null, actor: 'human' }],
  ] as const)('of %s is not kept', (_, given) => {
    const update = updateOf(report({ ...told, ...given }));
    expect(update.extensions).toEqual({});
    expect(update.events.at(-1)).not.toHaveProperty('conversation');
  });

  it('that could be an option, a path or a line of its own is not kept', () => {
    for (const conversation of ['--yolo-please', '../../../etc/passwd', 'one\ntwo-three']) {
      expect(updateOf(report({ ...told, conversation })).extensions).toEqual({});
    }
  });
});
