import { describe, expect, it } from 'vitest';
import type { HistoryEvent } from '../../src/domain/history-event.js';
import { NO_ARTIFACTS } from '../../src/domain/section.js';
import type { TaskFields } from '../../src/domain/task.js';
import { replayHistory } from '../../src/engine/replay-history.js';
import { restoreTask } from '../../src/engine/restore-task.js';
import { buildFields } from '../builders/task.js';
import { buildWorld } from '../builders/world.js';
import { artifactsOf } from '../../src/record/sections.js';
import { Simulation } from '../fakes/simulation.js';

const moved = (from: string, to: string): HistoryEvent => ({
  type: 'status.changed',
  timestamp: '2026-01-01T09:30:00.000Z',
  from,
  to,
});

function restore(fields: Partial<TaskFields>, events: readonly HistoryEvent[]) {
  return restoreTask({
    fields: buildFields(fields),
    extensions: {},
    context: null,
    artifacts: NO_ARTIFACTS,
    events,
    problems: [],
  });
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
