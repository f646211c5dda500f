import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/domain/json.js';
import type { HistoryEvent } from '../../src/domain/history-event.js';
import { NO_RESERVATION } from '../../src/domain/lock.js';
import { NO_FEEDBACK, NO_GATES } from '../../src/domain/world.js';
import { REPLAYED_TYPES, replayHistory } from '../../src/engine/replay-history.js';

const at = (minute: number): string => `2026-01-01T09:0${minute}:00.000Z`;
const created: HistoryEvent = {
  type: 'task.created',
  timestamp: at(0),
  task_id: 'a',
  project: 'shop',
  branch: 'b',
};

function crash(launch: string): HistoryEvent {
  return { type: 'agent.crashed', timestamp: at(1), launch };
}

describe('replayHistory', () => {
  it('of nothing knows nothing', () => {
    expect(replayHistory([])).toEqual({
      status: null,
      cameFrom: null,
      statusSince: null,
      handoffStamp: null,
      reviewStartedRound: 0,
      stuckBecause: null,
      undelivered: null,
      untoldAnswers: [],
      gates: NO_GATES,
      feedback: NO_FEEDBACK,
      reservation: NO_RESERVATION,
      attention: null,
      keptEdit: null,
      keptEditSince: null,
      finalized: null,
      failedChecks: 0,
      place: null,
      notedLaunches: new Map(),
      restarts: [],
    });
  });

  it('ORA-63 begins in pending', () => {
    expect(replayHistory([created])).toMatchObject({ status: 'pending', statusSince: at(0) });
  });

  it('ORA-84 ORA-86 follows both kinds of moves', () => {
    const replay = replayHistory([
      created,
      { type: 'status.changed', timestamp: at(1), from: 'pending', to: 'planning' },
      { type: 'auto.advanced', timestamp: at(2), from: 'planning', to: 'working', reason: '' },
    ]);
    expect(replay).toMatchObject({ status: 'working', cameFrom: 'planning', statusSince: at(2) });
  });

  it('ORA-89 accepts a historic row from pending to working', () => {
    const row = { type: 'status.changed', timestamp: at(1), from: 'pending', to: 'working' };
    expect(replayHistory([created, row])).toMatchObject({
      status: 'working',
      cameFrom: 'pending',
    });
  });

  it('remembers which Handoff was old, until the next stretch of work', () => {
    const back = {
      type: 'auto.advanced',
      timestamp: at(1),
      from: 'agent-review',
      to: 'working',
      handoff_stamp: 'digest',
    };
    const asked = {
      type: 'status.changed',
      timestamp: at(2),
      from: 'working',
      to: 'clarification',
    };
    const answered = {
      type: 'status.changed',
      timestamp: at(3),
      from: 'clarification',
      to: 'working',
    };
    const again = { type: 'status.changed', timestamp: at(4), from: 'stuck', to: 'working' };
    expect(replayHistory([created, back]).handoffStamp).toBe('digest');
    expect(replayHistory([created, back, asked, answered]).handoffStamp).toBe('digest');
    expect(replayHistory([created, back, again]).handoffStamp).toBeNull();
  });

  it('remembers the round in which a reviewer has started', () => {
    const row = { type: 'review.started', timestamp: at(1), round: 2 };
    expect(replayHistory([created, row]).reviewStartedRound).toBe(2);
  });

  it('ORA-85 remembers whose end was counted, and when', () => {
    const replay = replayHistory([created, crash('one'), crash('two'), crash('one')]);
    expect(replay.notedLaunches).toEqual(
      new Map([
        ['one', at(1)],
        ['two', at(1)],
      ]),
    );
  });

  it('F53 remembers who was interrupted, whose end a move followed, whom nobody missed, and who made room', () => {
    const interrupted = { type: 'agent.interrupted', timestamp: at(1), launch: 'one' };
    const ends = { from: 'planning', to: 'working', ended: 'two' };
    const ended = { type: 'agent.ended', timestamp: at(3), launch: 'three' };
    const followed = { type: 'auto.advanced', timestamp: at(2), ...ends };
    const made = { type: 'spawn.failed', timestamp: at(4), replaced: 'four' };
    const failed = { type: 'spawn.failed', timestamp: at(4), launch: 'five' };
    const replay = replayHistory([created, interrupted, followed, ended, made, failed]);
    expect(replay.notedLaunches).toEqual(
      new Map([
        ['one', at(1)],
        ['two', at(2)],
        ['three', at(3)],
        ['four', at(4)],
      ]),
    );
  });

  it('G11 remembers when agents were started again, but not first starts', () => {
    const place = { workspace: 'shop--1', tmux_session: 'shop/x' };
    const spawn = (n: number) => ({ type: 'agent.spawned', timestamp: at(n), ...place });
    const review = (n: number, round: number) => {
      return { type: 'review.started', timestamp: at(n), round };
    };
    const requeued = { type: 'status.changed', timestamp: at(6), from: 'working', to: 'pending' };
    const events = [spawn(1), spawn(2), review(3, 1), review(4, 1), review(5, 2)];
    const replay = replayHistory([created, ...events, requeued, spawn(7), spawn(8)]);
    expect(replay.restarts).toEqual([at(2), at(4), at(8)]);
  });

  it.each<HistoryEvent>([
    { type: 'status.changed', timestamp: at(1), from: 'pending', to: 'dreaming' },
    { type: 'status.changed', timestamp: at(1) },
    { type: 'review.started', timestamp: at(1), round: 'two' },
    { type: 'agent.crashed', timestamp: at(1), status: 'working' },
    { type: 'something.else', timestamp: at(1), to: 'done' },
  ])('passes over a row that it does not understand: %o', (row) => {
    expect(replayHistory([created, row])).toEqual(replayHistory([created]));
  });

  it('remembers which answers the worker has not been told', () => {
    const answered = (questions: JsonValue, text: JsonValue = null): HistoryEvent => ({
      type: 'question.answered',
      timestamp: at(2),
      questions,
      text,
    });
    const moved = { type: 'status.changed', timestamp: at(3), from: 'x', to: 'planning' };
    const events = [answered([1], 'Old.'), moved, answered([1, 2], 'Blue.'), answered('two')];
    expect(replayHistory(events).untoldAnswers).toEqual([{ questions: [1, 2], text: 'Blue.' }]);
    expect(replayHistory([answered([3])]).untoldAnswers).toEqual([{ questions: [3], text: null }]);
    expect(replayHistory([...events, moved]).untoldAnswers).toEqual([]);
  });

  it('F22 needs nothing but the events of its types', () => {
    const types = [...REPLAYED_TYPES, 'task.updated', 'workspace.released', 'gate.decided'];
    const event = fc.record({
      type: fc.constantFrom(...types),
      timestamp: fc.constantFrom(at(1), at(2)),
      from: fc.constantFrom('pending', 'planning', 'working', 'odd'),
      to: fc.constantFrom('planning', 'working', 'agent-review', 'done', 'odd'),
      launch: fc.constantFrom('one', 'two'),
      round: fc.nat(3),
      workspace: fc.constantFrom('shop--1', 'shop--2'),
      tmux_session: fc.constant('shop/b'),
      handoff_stamp: fc.constantFrom('x', 'y'),
    });
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const needed = events.filter(({ type }) => REPLAYED_TYPES.has(type));
        expect(replayHistory(needed)).toEqual(replayHistory(events));
      }),
    );
  });
});
