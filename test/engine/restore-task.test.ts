import { describe, expect, it } from 'vitest';
import type { HistoryEvent } from '../../src/domain/history-event.js';
import { NO_ARTIFACTS } from '../../src/domain/section.js';
import type { TaskFields } from '../../src/domain/task.js';
import { replayHistory } from '../../src/engine/replay-history.js';
import { restoreTask } from '../../src/engine/restore-task.js';
import { buildFields, TASK_ID } from '../builders/task.js';
import { buildWorld } from '../builders/world.js';
import { artifactsOf } from '../../src/record/sections.js';
import { Simulation } from '../fakes/simulation.js';

const moved = (from: string, to: string): HistoryEvent => ({
  type: 'status.changed',
  timestamp: '2026-01-01T09:30:00.000Z',
  from,
  to,
});

const at = { timestamp: '2026-01-01T09:00:00.000Z' };
const created: HistoryEvent = { type: 'task.created', ...at, task_id: TASK_ID, project: 'shop' };
const spawned: HistoryEvent = {
  type: 'agent.spawned',
  ...at,
  workspace: 'shop--1',
  tmux_session: 'shop/dark-mode',
};
const crashed = (crash_count: number): HistoryEvent => ({
  type: 'agent.crashed',
  ...at,
  crash_count,
});

const NOW = '2026-01-01T10:00:00.000Z';

function restore(fields: Partial<TaskFields>, events: readonly HistoryEvent[]) {
  return restoreTask({
    fields: buildFields(fields),
    extensions: {},
    context: null,
    artifacts: NO_ARTIFACTS,
    events,
    problems: [],
    now: NOW,
  });
}

function restoreUpdated(updated_at: string, timestamp: string) {
  const told = { type: 'progress.reported', timestamp };
  return restore({ updated_at }, [{ ...created, status: 'pending' }, told]);
}

describe('restoreTask', () => {
  it('trusts the file where the history knows of no move', () => {
    const task = restore({ status: 'reviewing' }, []);
    expect(task).toMatchObject({ fields: { status: 'reviewing' }, claims: null });
  });

  it('takes what it remembers from the history', () => {
    const task = restore({ status: 'planning' }, [moved('pending', 'planning')]);
    expect(task).toMatchObject({
      fields: { status: 'planning' },
      claims: null,
      cameFrom: 'pending',
      statusSince: '2026-01-01T09:30:00.000Z',
      isSettled: false,
      worker: { kind: 'absent' },
      reviewer: { kind: 'absent' },
      activity: null,
    });
  });

  it('ORA-28 takes a status that was edited while nobody watched as a claim', () => {
    const task = restore({ status: 'done' }, [moved('pending', 'planning')]);
    expect(task.fields.status).toBe('planning');
    expect(task.claims?.fields.status).toBe('done');
  });

  const BEGUN = { ...created, status: 'pending' };
  const PLACE = { workspace: 'shop--1', tmux_session: 'shop/dark-mode' } as const;

  it.each<[string, Partial<TaskFields>, readonly HistoryEvent[], Partial<TaskFields>]>([
    ['a status', { status: 'done' }, [BEGUN], { status: 'pending' }],
    ['a worktree', PLACE, [BEGUN], { workspace: null, tmux_session: null }],
    ['the time of creation', { created_at: '2001-01-01T00:00:00Z' }, [BEGUN], {}],
    [
      'counters',
      { crash_count: 50, review_round: 9 },
      [BEGUN],
      { crash_count: 0, review_round: 0 },
    ],
    [
      'crashes',
      { status: 'planning', crash_count: 50, ...PLACE },
      [BEGUN, spawned, moved('pending', 'planning'), crashed(1)],
      { crash_count: 1, ...PLACE },
    ],
    [
      'crashes that a move forgave',
      { status: 'working', crash_count: 1, ...PLACE },
      [BEGUN, spawned, moved('pending', 'planning'), crashed(1), moved('planning', 'working')],
      { crash_count: 0 },
    ],
    [
      'crashes at the limit',
      { status: 'stuck', crash_count: 0, ...PLACE },
      [BEGUN, spawned, moved('pending', 'planning'), crashed(2), moved('planning', 'stuck')],
      { crash_count: 2 },
    ],
    [
      'a round of review',
      { status: 'agent-review', review_round: 9, ...PLACE },
      [BEGUN, spawned, moved('working', 'agent-review')],
      { review_round: 1 },
    ],
    [
      'a worktree after the task was put back into the queue',
      { workspace: 'shop--2', tmux_session: 'shop/other' },
      [BEGUN, spawned, moved('pending', 'planning'), moved('planning', 'pending')],
      { workspace: null, tmux_session: null },
    ],
    [
      'a worktree of a task that is over',
      { status: 'done', workspace: 'shop--2' },
      [BEGUN, spawned, moved('reviewing', 'done')],
      { workspace: null, tmux_session: null },
    ],
  ])('takes %s that was written while nobody watched as a claim', (_, file, events, known) => {
    const task = restore(file, events);
    expect(task.fields).toMatchObject(known);
    expect(task.claims?.fields).toMatchObject(file);
  });

  it.each<[string, Partial<TaskFields>, readonly HistoryEvent[]]>([
    ['its creation', { status: 'reviewing' }, [{ ...created, status: 'reviewing' }]],
    [
      'what it was created with',
      { status: 'agent-review', review_round: 1 },
      [{ ...created, status: 'agent-review', review_round: 1 }],
    ],
    [
      'the worktree that it still gives back',
      { status: 'pending', ...PLACE },
      [BEGUN, spawned, moved('pending', 'planning'), moved('planning', 'pending')],
    ],
    ['a creation that does not say how it began', { status: 'done', crash_count: 3 }, [created]],
    [
      'a history without its beginning',
      { status: 'agent-review', review_round: 2, ...PLACE },
      [moved('working', 'agent-review')],
    ],
  ])('agrees with a file that says no more than %s', (_, file, events) => {
    expect(restore(file, events)).toMatchObject({ fields: file, claims: null });
  });

  describe('of a file whose updated_at is', () => {
    it.each(['9999-12-31T23:59:59.999Z', '2099-01-01T00:00:00Z', '2026-01-01T10:01:01.000Z'])(
      'F34 %s, later than the history and now, goes on from the history',
      (poison) => {
        const task = restoreUpdated(poison, '2026-01-01T09:30:00.000Z');
        expect(task.fields.updated_at).toBe('2026-01-01T09:30:00.000Z');
        expect(task.claims?.fields.updated_at).toBe(poison);
      },
    );

    it('F34 too late and whose history is lost goes on from now', () => {
      const task = restore({ updated_at: '2099-01-01T00:00:00Z' }, []);
      expect(task.fields.updated_at).toBe('2026-01-01T10:00:00.000Z');
    });

    it('F34 too late is not believed of a finished task either', () => {
      const task = restore({ status: 'done', updated_at: '2099-01-01T00:00:00Z' }, [
        moved('reviewing', 'done'),
      ]);
      expect(task.fields.updated_at).toBe('2026-01-01T09:30:00.000Z');
    });

    it.each([
      ['of this minute', '2026-01-01T10:00:59Z', '2026-01-01T09:30:00.000Z'],
      ['of a clock that stood ahead', '2099-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z'],
    ])('%s believes it', (_, updatedAt, last) => {
      const task = restoreUpdated(updatedAt, last);
      expect(task).toMatchObject({ fields: { updated_at: updatedAt }, claims: null });
    });
  });

  it('goes on freeing the worktree that a finished task still holds', () => {
    const held = { status: 'done', workspace: 'shop--1' } as const;
    expect(restore(held, [moved('reviewing', 'done')]).activity).toBe('releasing');
    expect(restore({ status: 'done' }, [moved('reviewing', 'done')]).activity).toBeNull();
  });
});

describe('a daemon that starts again', () => {
  it('remembers of every task what the one before knew', () => {
    const sim = new Simulation(buildWorld());
    const id = sim.create();
    sim.carryOut();
    const check = (): void => {
      const { fields, extensions, sections, history } = sim.file(id);
      const restored = restoreTask({
        fields,
        extensions,
        context: sections.Context ?? null,
        artifacts: artifactsOf(sections),
        events: history,
        problems: [],
        now: NOW,
      });
      const known = sim.task(id);
      for (const key of [
        'fields',
        'extensions',
        'context',
        'artifacts',
        'claims',
        'handoffStamp',
        'reviewStartedRound',
        'cameFrom',
      ] as const) {
        expect(restored[key], key).toEqual(known[key]);
      }
    };
    check();
    sim.writeAndSettle(id, { Plan: 'APPROACH: x' });
    check();
    sim.end(id, 'worker');
    check();
    expect(replayHistory(sim.history(id)).notedLaunches.size).toBe(1);
    sim.wait(5000, id);
    sim.carryOut();
    sim.writeAndSettle(id, { Handoff: 'DONE: a' });
    sim.carryOut();
    check();
    sim.writeAndSettle(id, { Review: 'Verdict: FAIL' });
    sim.carryOut();
    check();
    expect(sim.task(id)).toMatchObject({ fields: { status: 'working' }, reviewStartedRound: 1 });
    sim.writeAndSettle(id, { Handoff: 'DONE: b' });
    sim.carryOut();
    sim.writeAndSettle(id, { Review: 'Verdict: PASS' });
    check();
  });
});
