import { describe, expect, it } from 'vitest';
import { NOTHING } from '../../src/domain/decision.js';
import type { AgentMessage } from '../../src/domain/effect.js';
import type { Failure } from '../../src/domain/failure.js';
import type { HistoryEvent } from '../../src/domain/history-event.js';
import type { Observation } from '../../src/domain/observation.js';
import type { TaskState, Undelivered } from '../../src/domain/world.js';
import { decide } from '../../src/engine/decide.js';
import { explainTask } from '../../src/engine/inbox.js';
import { replayHistory } from '../../src/engine/replay-history.js';
import { updateOf } from '../builders/decision-parts.js';
import { buildTaskIn, endedAgent, TASK_ID } from '../builders/task.js';
import { buildWorld, momentAt } from '../builders/world.js';

const GONE: Failure = { kind: 'agent-not-running', taskId: TASK_ID, window: 'worker' };
const BUSY: Failure = { kind: 'message-not-delivered', window: 'worker', reason: 'typing' };
const ANSWERED: AgentMessage = {
  kind: 'answered',
  status: 'working',
  questions: [1],
  text: 'Blue.',
};
const GO_ON: AgentMessage = { kind: 'go-on', status: 'working' };
const NOW = momentAt();

const untold = (parts: Partial<Undelivered> = {}): Undelivered => ({
  message: ANSWERED,
  reason: 'typing',
  since: '2026-01-02T11:00:00.000Z',
  tries: 1,
  retryAtMs: NOW.monotonicMs,
  ...parts,
});
const see = (task: TaskState, observation: Observation) =>
  decide(buildWorld({ tasks: [task] }), observation, NOW);
const tellFailed = (message: AgentMessage, failure: Failure = BUSY): Observation => {
  return { kind: 'tell-failed', taskId: TASK_ID, window: 'worker', message, failure };
};
const at = (second: number) => `2026-01-02T11:00:0${second}.000Z`;
const told: Observation = { kind: 'agent-told', taskId: TASK_ID, message: ANSWERED };
const again: Observation = { kind: 'reconsider', taskId: TASK_ID };

describe('a message that did not arrive', () => {
  it('because the worker is gone starts it again with the message', () => {
    const message = { kind: 'review-failed', round: 1 } as const;
    const decision = see(buildTaskIn('working'), tellFailed(message, GONE));
    expect(decision.effects).toMatchObject([
      { kind: 'start-agent', role: 'worker', isResuming: true, message },
    ]);
    expect(decision.failure).toBeNull();
  });

  it('because the worker cannot be told now is kept, in the history too, and told to the human', () => {
    const decision = see(buildTaskIn('working'), tellFailed(ANSWERED));
    const change = updateOf(decision);
    expect(change.events).toMatchObject([
      { type: 'message.undelivered', window: 'worker', about: 'answered', message: ANSWERED },
    ]);
    expect(change.runtime.undelivered).toMatchObject({
      message: ANSWERED,
      since: NOW.timestamp,
      tries: 1,
      retryAtMs: NOW.monotonicMs + 5000,
    });
    expect(decision.effects).toMatchObject([{ kind: 'notify-human', cause: 'not-delivered' }]);
    expect(decision.failure).toBeNull();
  });

  it('is tried again with growing pauses, without another event or notice', () => {
    const task = buildTaskIn('working', { undelivered: untold({ retryAtMs: null }) });
    const decision = see(task, tellFailed(ANSWERED));
    expect(updateOf(decision)).toMatchObject({
      events: [],
      runtime: { undelivered: { tries: 2, retryAtMs: NOW.monotonicMs + 30_000 } },
    });
    expect(decision.effects).toEqual([]);
  });

  it('is left to a person after the sixth try', () => {
    const task = buildTaskIn('working', { undelivered: untold({ tries: 5, retryAtMs: null }) });
    const change = updateOf(see(task, tellFailed(ANSWERED)));
    expect(change.runtime.undelivered).toMatchObject({ tries: 6, retryAtMs: null });
  });

  it('and was a person’s own comes back to that person', () => {
    const text = { kind: 'text', text: 'hello' } as const;
    const decision = see(buildTaskIn('working'), tellFailed(text, GONE));
    expect(decision.failure).toEqual(GONE);
    expect(decision.effects).toMatchObject([{ kind: 'notify-human' }]);
    expect(updateOf(decision).runtime).toEqual({});
  });

  it.each([
    ['is over', buildTaskIn('cancelled')],
    ['is being freed', buildTaskIn('working', { activity: 'releasing' })],
    ['waits for its human', buildTaskIn('clarification')],
    ['is under review', buildTaskIn('agent-review')],
  ])('starts nothing in a task that %s', (_, task) => {
    expect(see(task, tellFailed(GO_ON, GONE))).toEqual(NOTHING);
  });

  it('F34 about what was put back starts no agent, and takes the place of no other message', () => {
    const message = { kind: 'put-back', context: null, status: 'No.' } as const;
    expect(see(buildTaskIn('working'), tellFailed(message, GONE))).toEqual(NOTHING);
    const owing = buildTaskIn('working', { undelivered: untold() });
    expect(see(owing, tellFailed(message))).toEqual(NOTHING);
    const kept = updateOf(see(buildTaskIn('working'), tellFailed(message)));
    expect(kept.runtime.undelivered).toMatchObject({ message, tries: 1 });
    const events = kept.events.map((event): HistoryEvent => ({ timestamp: at(1), ...event }));
    expect(replayHistory(events).undelivered?.message).toEqual(message);
  });

  it('does not matter once the task has moved on', () => {
    expect(see(buildTaskIn('agent-review'), tellFailed(GO_ON))).toEqual(NOTHING);
  });
});

describe('a message that is still to be told', () => {
  const task = buildTaskIn('working', { undelivered: untold() });

  it('is told when it is due, once', () => {
    const decision = see(task, again);
    const order = { kind: 'tell-agent', window: 'worker', message: ANSWERED };
    expect(decision.effects).toMatchObject([order]);
    expect(updateOf(decision).runtime.undelivered).toMatchObject({ retryAtMs: null });
  });

  it.each([
    ['is not due', { undelivered: untold({ retryAtMs: NOW.monotonicMs + 1 }) }],
    ['is being told', { undelivered: untold({ retryAtMs: null }) }],
    ['has nobody to be told to', { worker: { kind: 'absent' }, startTrouble: laterTrouble() }],
  ] as const)('waits while it %s', (_, parts) => {
    const effects = see({ ...task, ...parts }, again).effects;
    expect(effects.filter(({ kind }) => kind === 'tell-agent')).toEqual([]);
  });

  it('is settled when it arrives', () => {
    expect(updateOf(see(task, told))).toMatchObject({
      events: [{ type: 'message.delivered', window: 'worker', about: 'answered' }],
      runtime: { undelivered: null },
    });
    expect(see(buildTaskIn('working'), told)).toEqual(NOTHING);
    const other = buildTaskIn('working', {
      undelivered: untold({ message: GO_ON, retryAtMs: null }),
    });
    expect(see(other, told).changes).toEqual([]);
  });

  it('goes with the prompt of a worker that is started again', () => {
    const worker = endedAgent('worker', { isNoted: true });
    const dead = buildTaskIn('working', {
      worker,
      undelivered: untold({ retryAtMs: null }),
      respawnAtMs: NOW.monotonicMs,
    });
    expect(see(dead, again).effects).toMatchObject([
      { kind: 'start-agent', message: { kind: 'answered' } },
    ]);
  });

  it('is over when the task moves or its worker is started anew', () => {
    const { launchId, window } = { launchId: 'launch-1', window: 'worker' };
    const starting = {
      ...task,
      activity: 'starting',
      worker: { kind: 'starting', launchId, window },
    } as const;
    const started: Observation = {
      kind: 'agent-started',
      taskId: TASK_ID,
      role: 'worker',
      launchId,
      window,
      workspace: 'shop--1',
      session: 'shop/dark-mode',
      harnessSession: null,
    };
    expect(updateOf(see(starting, started)).runtime.undelivered).toBeNull();
    const request = { kind: 'task.ask', taskId: TASK_ID, text: 'And now?' } as const;
    const asked = see(task, { kind: 'request', request, actor: 'agent', newId: 'x' });
    expect(updateOf(asked).runtime.undelivered).toBeNull();
  });

  it('stands in the inbox meanwhile', () => {
    const reasons = explainTask(buildWorld({ tasks: [task] }), task, NOW);
    expect(reasons).toEqual([
      {
        code: 'undelivered',
        message: 'its agent has not been told that its question is answered: typing',
        settle: 'orange task respawn shop/dark-mode',
        since: '2026-01-02T11:00:00.000Z',
      },
    ]);
  });
});

const event = (second: number, type: string, facts: object = {}): HistoryEvent => ({
  type,
  timestamp: at(second),
  ...facts,
});

describe('a daemon that starts again', () => {
  const kept = event(1, 'message.undelivered', {
    about: 'answered',
    message: ANSWERED,
    reason: 'r',
  });
  const after = (...events: readonly HistoryEvent[]) =>
    replayHistory([kept, ...events]).undelivered;

  it('still knows what was not told, and tries at once', () => {
    expect(after()).toEqual({
      message: ANSWERED,
      reason: 'r',
      since: at(1),
      tries: 1,
      retryAtMs: 0,
    });
    expect(after(event(2, 'agent.spawned', { window: 'review-1' }))).not.toBeNull();
  });

  it.each([
    event(2, 'message.delivered'),
    event(2, 'status.changed', { from: 'working', to: 'clarification' }),
    event(2, 'agent.spawned', { window: 'worker', workspace: 'w', tmux_session: 's' }),
  ])('knows that it is over: $type', (ending) => {
    expect(after(ending)).toBeNull();
  });

  it.each([
    undefined,
    'text',
    { kind: 'answered', status: 'working', questions: ['1'], text: null },
    { kind: 'toString' },
    { kind: 'go-on' },
  ])('passes over what is no message: %j', (message) => {
    const odd = { type: 'message.undelivered', timestamp: at(1), ...(message && { message }) };
    expect(replayHistory([odd]).undelivered).toBeNull();
  });
});

function laterTrouble() {
  const { monotonicMs, timestamp: since } = NOW;
  return { reason: 'no disk', failures: 1, retryAtMs: monotonicMs + 60_000, since };
}
